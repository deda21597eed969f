import type { AchievementItem } from '@panoptes/schema'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { Button } from '../design/button.tsx'
import { Dialog } from '../design/dialog.tsx'
import { toast } from '../design/toast.tsx'
import * as f from '../format.ts'
import { themeShown } from '../shell/theme.ts'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import { drawPicture, PICTURE, themeToken } from './share-picture.ts'
import { toMilliseconds } from './timestamp.ts'

const w = words.achievements.share

/** An unlocked achievement as an image to save or paste. */
export default function ShareDialog(props: {
  readonly unlocked: readonly AchievementItem[]
  readonly total: number
  readonly first: string
  readonly onClose: () => void
}) {
  const { unlocked, total } = props
  const canvas = useRef<HTMLCanvasElement>(null)
  const [id, setId] = useState(props.first)
  const item = unlocked.find((one) => one.id === id) ?? unlocked[0]
  if (!item) return null
  const onCanvas = (use: (drawn: HTMLCanvasElement) => Promise<void>) => () => {
    if (canvas.current) void use(canvas.current)
  }
  return (
    <Dialog open onClose={props.onClose} title={w.title} width="max-w-160">
      <div className="flex flex-col gap-3 overflow-y-auto p-4">
        <label className="flex items-center gap-2 text-12 text-text-2">
          {w.which}
          <select
            value={item.id}
            onChange={(event) => setId(event.target.value)}
            className="h-7 min-w-0 flex-1 rounded-control border border-line-strong bg-raised px-2 text-12 text-text touch:h-11"
          >
            {unlocked.map((one) => (
              <option key={one.id} value={one.id}>
                {one.tier === null ? one.name : `${one.name} · ${one.tier}`}
              </option>
            ))}
          </select>
        </label>
        <Picture canvas={canvas} item={item} unlocked={unlocked.length} total={total} />
      </div>
      <div className="flex justify-end gap-2 border-t border-line px-4 py-3">
        <Button icon="copy" onClick={onCanvas(copyPicture)}>
          {w.copy}
        </Button>
        <Button kind="main" icon="download" onClick={onCanvas((drawn) => savePicture(drawn, item.id))}>
          {w.download}
        </Button>
      </div>
    </Dialog>
  )
}

/** Draws the image on mount and again after a theme change. */
function Picture(props: {
  readonly canvas: RefObject<HTMLCanvasElement | null>
  readonly item: AchievementItem
  readonly unlocked: number
  readonly total: number
}) {
  const { canvas, item, unlocked, total } = props
  const theme = useStore(themeShown)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the colors come from the theme
  useEffect(() => {
    const pen = canvas.current?.getContext('2d')
    if (!pen) return
    const at = toMilliseconds((item.tier && item.tier_dates?.[item.tier]) ?? item.unlocked_at)
    // The date includes the year because people look at the image later.
    const day = at === null ? null : f.day(at, 0)
    const font = getComputedStyle(document.body).fontFamily
    drawPicture(pen, { item, unlocked, total, day }, themeToken, font)
  }, [canvas, item, unlocked, total, theme])
  return (
    <canvas
      ref={canvas}
      {...PICTURE}
      role="img"
      aria-label={w.preview(item.name)}
      className="aspect-[1200/630] w-full rounded-control border border-line"
    />
  )
}

const toPng = (canvas: HTMLCanvasElement): Promise<Blob> => {
  const { promise, resolve, reject } = Promise.withResolvers<Blob>()
  canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error(w.failed))), 'image/png')
  return promise
}

async function savePicture(canvas: HTMLCanvasElement, name: string): Promise<void> {
  const address = URL.createObjectURL(await toPng(canvas))
  const link = document.createElement('a')
  link.href = address
  link.download = `panoptes-${name}.png`
  link.click()
  // The browser reads the URL only after the click.
  setTimeout(() => URL.revokeObjectURL(address), 10_000)
}

async function copyPicture(canvas: HTMLCanvasElement): Promise<void> {
  try {
    // The promise is passed on unresolved because some browsers allow copying only during the click.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': toPng(canvas) })])
    toast({ text: w.copied })
  } catch {
    toast({ text: w.copyFailed, tone: 'failed' })
  }
}
