import * as f from '../../format.ts'
import { words } from '../../words.ts'
import type { Picture } from './thread.ts'

/** Kinds of images that cannot carry anything but an image. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const MOST = 8 * 1_024 * 1_024
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/

/** An image that is in the session itself; nothing is ever fetched for it. */
export function Image({ picture }: { readonly picture: Picture }) {
  const { media_type: type, data } = picture
  const size = data === null ? null : f.bytes(Math.floor((data.length * 3) / 4))
  if (type === null || data === null || !SHOWN.has(type) || data.length > MOST || !BASE64.test(data))
    return (
      <p className="rounded-control border border-dashed border-line-strong px-2.5 py-1.5 text-12 text-text-3">
        {words.transcript.imageNotShown(type, size)}
      </p>
    )
  return (
    <img
      src={`data:${type};base64,${data}`}
      alt={words.transcript.image(type, size)}
      loading="lazy"
      className="max-h-90 self-start max-w-full rounded-control border border-line"
    />
  )
}
