import { toast } from '../design/toast.tsx'
import { words } from '../words.ts'

const w = words.achievements.share

const toPng = (canvas: HTMLCanvasElement): Promise<Blob> => {
  const { promise, resolve, reject } = Promise.withResolvers<Blob>()
  canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(w.failed))), 'image/png')
  return promise
}

export async function savePicture(canvas: HTMLCanvasElement, name: string): Promise<void> {
  const address = URL.createObjectURL(await toPng(canvas))
  const link = document.createElement('a')
  link.href = address
  link.download = `panoptes-${name}.png`
  link.click()
  // The browser reads the URL only after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

export async function copyPicture(canvas: HTMLCanvasElement): Promise<void> {
  try {
    // The promise is passed on unresolved because some browsers allow copying only during the click.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': toPng(canvas) })])
    toast({ text: w.copied })
  } catch {
    toast({ text: w.copyFailed, tone: 'failed' })
  }
}
