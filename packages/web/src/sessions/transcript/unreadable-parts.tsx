import type { OutlineReply } from '@panoptes/schema'
import { Strip } from '../../design/strip.tsx'
import { words } from '../../words.ts'
import { oneLine } from '../visible-text.ts'

const w = words.transcript
const LINE = 200

/** Lists the parts of the session that could not be read. */
export function Unread({ outline }: { readonly outline: OutlineReply }) {
  const reasons = outline.unread_parts.map(({ place, reason }) => oneLine(w.unreadPart(place, reason), LINE))
  const [first] = reasons
  if (first === undefined) return null
  return (
    <div title={reasons.join('\n')} className="border-b border-line [overflow-wrap:anywhere]">
      <Strip glyph="failed">{w.unread(outline.unread, first)}</Strip>
    </div>
  )
}
