import { toast } from '../design/toast.tsx'
import { words } from '../words.ts'

const w = words.achievements.share

const pngOf = (canvas: HTMLCanvasElement): Promise<Blob> => {
  const { promise, resolve, reject } = Promise.withResolvers<Blob>()
  canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(w.failed))), 'image/png')
  return promise
}

export async function savePicture(canvas: HTMLCanvasElement, name: string): Promise<void> {
  const address = URL.createObjectURL(await pngOf(canvas))
  const link = document.createElement('a')
  link.href = address
  link.download = `panoptes-${name}.png`
  link.click()
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

export async function copyPicture(canvas: HTMLCanvasElement): Promise<void> {
  try {
    // The promise goes in as it is: some browsers copy only while the click is answered.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': pngOf(canvas) })])
    toast({ text: w.copied })
  } catch {
    toast({ text: w.copyFailed, tone: 'failed' })
  }
}
