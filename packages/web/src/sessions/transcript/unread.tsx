import type { OutlineReply } from '@panoptes/schema'
import { Strip } from '../../design/strip.tsx'
import { words } from '../../words.ts'
import { oneLine } from '../plain.ts'

const w = words.transcript
const LINE = 200

/** What of the session could not be read, by its place. */
export function Unread({ outline }: { readonly outline: OutlineReply }) {
  const said = outline.unread_parts.map(({ place, reason }) => oneLine(w.unreadPart(place, reason), LINE))
  const [first] = said
  if (first === undefined) return null
  return (
    <div title={said.join('\n')} className="border-b border-line [overflow-wrap:anywhere]">
      <Strip glyph="failed">{w.unread(outline.unread, first)}</Strip>
    </div>
  )
}
