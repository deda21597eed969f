import { Button } from '../../design/button.tsx'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { errorText } from '../strips.tsx'
import type { Picture } from './thread.ts'
import { type Rest, useRest } from './use-rest.ts'

const w = words.transcript

/** Image formats that cannot contain scripts. */
const SHOWN = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const MOST = 8 * 1_024 * 1_024
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
const box =
  'flex flex-wrap items-center gap-2 rounded-control border border-dashed border-line-strong px-2.5 py-1.5 text-12 text-text-3'

/** An image from the session itself. Nothing is ever fetched from elsewhere for it. */
export function Image({ picture, rest }: { readonly picture: Picture; readonly rest: Rest }) {
  if (picture.data === null && typeof picture.left_out === 'number')
    return <LargeImage picture={picture} rest={rest} size={f.bytes((picture.left_out * 3) / 4)} />
  return <Shown picture={picture} />
}

/** An image that the server leaves out of a page because of its size. */
function LargeImage(props: { readonly picture: Picture; readonly rest: Rest; readonly size: string }) {
  const { block, isReading, error, read } = useRest(props.rest)
  if (block?.type === 'image') return <Shown picture={block} />
  return (
    <div className={box}>
      <span>{w.image(props.picture.media_type, props.size)}</span>
      <Button disabled={isReading} onClick={read}>
        {isReading ? w.readingRest : w.showImage}
      </Button>
      {error && <span className="text-failed">{errorText(error)}</span>}
    </div>
  )
}

function Shown({ picture: { media_type: type, data } }: { readonly picture: Picture }) {
  const size = data === null ? null : f.bytes(Math.floor((data.length * 3) / 4))
  if (type === null || data === null || !SHOWN.has(type) || data.length > MOST || !BASE64.test(data))
    return <p className={box}>{w.imageNotShown(type, size)}</p>
  return (
    <img
      src={`data:${type};base64,${data}`}
      alt={w.image(type, size)}
      loading="lazy"
      className="max-h-90 self-start max-w-full rounded-control border border-line"
    />
  )
}
