import type { StoredEvent } from '@panoptes/schema'
import { readAgentId, reportsFailure } from '@panoptes/schema/reading'
import { useQuery } from '@tanstack/react-query'
import { eventQuery, sameIdQuery } from '../api/queries.ts'
import { Button, IconButton } from '../design/button.tsx'
import { classes } from '../design/class-names.ts'
import { CopyButton, copyText } from '../design/copy-button.tsx'
import { Glyph } from '../design/glyph.tsx'
import { Json } from '../design/json.tsx'
import { KeyCap } from '../design/key-cap.tsx'
import { SidePanel } from '../design/side-panel.tsx'
import { Strip } from '../design/strip.tsx'
import * as f from '../format.ts'
import { useKeys } from '../shell/use-keys.ts'
import { words } from '../words.ts'
import { describe, eventGlyph } from './describe.ts'

const w = words.events.panel

export interface PanelProps {
  readonly seq: number
  /** The event, if the list has it already. */
  readonly known: StoredEvent | undefined
  readonly onClose: () => void
  readonly onStep: (step: number) => void
  readonly onOpen: (seq: number) => void
  readonly onNarrow: (change: { readonly session?: string; readonly agent?: string }) => void
}

export function Panel({ seq, known: loadedEvent, ...props }: PanelProps) {
  const query = useQuery({ ...eventQuery(seq), enabled: loadedEvent === undefined })
  const event = loadedEvent ?? query.data
  return (
    <SidePanel label={w.label(event?.event ?? '', seq)}>
      <div className="flex shrink-0 items-center gap-2 py-3 pr-2 pl-4">
        {event && <Glyph name={eventGlyph(event)} />}
        <h2
          className={classes(
            'min-w-0 truncate font-mono text-15 font-semibold',
            event && reportsFailure(event) && 'text-failed',
          )}
        >
          {event?.event ?? words.unknown}
        </h2>
        <span className="text-12 text-text-3">#{f.count(seq)}</span>
        <span className="ml-auto desk:hidden">
          <IconButton icon="up" kind="quiet" label={words.keys.previous} onClick={() => props.onStep(-1)} />
          <IconButton icon="down" kind="quiet" label={words.keys.next} onClick={() => props.onStep(1)} />
        </span>
        <span className="desk:ml-auto">
          <IconButton icon="close" kind="quiet" label={words.actions.close} onClick={props.onClose} />
        </span>
      </div>
      {query.isError && (
        <Strip
          alert
          glyph="failed"
          end={<Button onClick={() => void query.refetch()}>{words.actions.tryAgain}</Button>}
        >
          {query.error.message}
        </Strip>
      )}
      {event === null && <p className="px-4 text-12 text-text-2">{w.gone}</p>}
      {event && <EventBody event={event} {...props} />}
      <div className="mt-auto flex shrink-0 items-center gap-1.5 border-t border-line px-4 py-2 text-11 text-text-3 max-desk:hidden">
        <KeyCap>j</KeyCap>
        <KeyCap>k</KeyCap>
        <span>{w.nextPrevious}</span>
        <span className="ml-auto" />
        <KeyCap>Esc</KeyCap>
        <span>{w.close}</span>
      </div>
    </SidePanel>
  )
}

function EventBody({
  event,
  onOpen,
  onNarrow,
}: Omit<PanelProps, 'seq' | 'known'> & { readonly event: StoredEvent }) {
  const agent = readAgentId(event)
  const json = JSON.stringify(event, null, 2)
  useKeys({ c: () => void copyText(json, words.actions.copied) })
  const redacted = typeof event.redacted === 'number' ? event.redacted : 0
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <div className="min-h-0 flex-1 divide-y divide-line overflow-y-auto" tabIndex={0}>
      <div className="px-4 pb-3">
        <p className="truncate text-11 text-text-3" title={event.session_id}>
          {event.source} › {event.session_id}
          {agent !== undefined && ` › ${agent}`}
        </p>
        <p className="text-11 text-text-3">{f.moment(event.ts)}</p>
        <div className="flex flex-wrap gap-2 pt-2.5">
          <Button onClick={() => onNarrow({ session: event.session_id })}>{w.onlySession}</Button>
          {agent !== undefined && (
            <Button onClick={() => onNarrow({ session: event.session_id, agent })}>{w.onlyAgent}</Button>
          )}
          <span className="ml-auto">
            <CopyButton text={json} />
          </span>
        </div>
      </div>
      <div className="px-4 py-3">
        <h3 className="pb-2 text-11 font-semibold text-text-3">{w.json}</h3>
        <div className="overflow-hidden rounded-control border border-line bg-raised">
          <Json value={event} />
        </div>
        {redacted > 0 && <p className="pt-2 text-11 text-stuck">{w.redacted(redacted)}</p>}
      </div>
      <SameId event={event} onOpen={onOpen} />
    </div>
  )
}

/** The other events of the same call or agent. */
function SameId(props: { readonly event: StoredEvent; readonly onOpen: (seq: number) => void }) {
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
