import type { StoredEvent } from '@panoptes/schema'
import { useQuery } from '@tanstack/react-query'
import { sameIdQuery } from '../api/queries.ts'
import { classes } from '../design/class-names.ts'
import { Glyph } from '../design/glyph.tsx'
import * as f from '../format.ts'
import { words } from '../words.ts'
import { describe, eventGlyph } from './describe.ts'

const w = words.events.panel

/** The other events of the same call or agent. */
export function SameId(props: { readonly event: StoredEvent; readonly onOpen: (seq: number) => void }) {
  const { event } = props
  const id = typeof event.id === 'string' ? event.id : null
  if (id === null) return null
  return <SameIdRows {...props} id={id} />
}

function SameIdRows({
  event,
  id,
  onOpen,
}: {
  readonly event: StoredEvent
  readonly id: string
  readonly onOpen: (seq: number) => void
}) {
  const { data } = useQuery({ ...sameIdQuery(event.session_id, id), refetchInterval: 5_000 })
  if (data === undefined) return null
  const alone = data.every((other) => other.seq === event.seq)
  return (
    <div className="px-4 py-3">
      <h3 className="pb-1.5 text-11 font-semibold text-text-3">{groupTitle(event)}</h3>
      {alone && <p className="text-12 text-text-3">{w.alone}</p>}
      {!alone &&
        data.map((other) => (
          <button
            key={other.seq}
            type="button"
            aria-current={other.seq === event.seq}
            onClick={() => onOpen(other.seq)}
            className={classes(
              'flex min-h-6.5 w-full items-center gap-2 rounded-tag text-left text-11 hover:bg-raised touch:min-h-11',
              other.seq === event.seq ? 'text-text' : 'text-text-2',
            )}
          >
            <span className="text-text-3">{f.fineClock(other.ts)}</span>
            <Glyph name={eventGlyph(other)} size={14} />
            <span className="font-mono">{other.event}</span>
            <span className="min-w-0 flex-1 truncate text-text-3">{describe(other)}</span>
            <span className="text-text-3">#{f.count(other.seq)}</span>
          </button>
        ))}
    </div>
  )
}

function groupTitle(event: StoredEvent): string {
  if (event.event.startsWith('tool_')) return w.sameCall
  return event.event.startsWith('agent_') ? w.sameAgent : w.sameId
}
