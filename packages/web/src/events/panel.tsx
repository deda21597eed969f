import type { StoredEvent } from '@panoptes/schema'
import { readAgentId, saysFailed } from '@panoptes/schema/reading'
import { useQuery } from '@tanstack/react-query'
import { eventQuery } from '../api/queries.ts'
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
import { eventGlyph } from './describe.ts'
import { SameId } from './related-events.tsx'

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
            event && saysFailed(event) && 'text-failed',
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
