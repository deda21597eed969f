import type { StoredEvent } from '@panoptes/schema'
import { agentOf, saysFailed } from '@panoptes/schema/reading'
import { memo } from 'react'
import { classes } from '../design/class.ts'
import { Glyph } from '../design/glyph.tsx'
import * as f from '../format.ts'
import { words } from '../words.ts'
import { describe, glyphOf } from './describe.ts'

/** Columns from 760 px on; the table is narrower while an event is open beside it. */
export const columns =
  'desk:grid desk:grid-cols-[60px_84px_116px_minmax(80px,1fr)_minmax(160px,3fr)] desk:gap-x-3.5 desk:px-4 @min-[780px]:grid-cols-[60px_84px_116px_minmax(80px,1fr)_minmax(80px,1fr)_84px_minmax(180px,3.5fr)]'
export const wideOnly = 'hidden @min-[780px]:block'

interface RowProps {
  readonly id: string
  readonly index: number
  readonly seq: number
  readonly event: StoredEvent | undefined
  readonly gone: boolean
  readonly open: boolean
  readonly narrow: boolean
  readonly onOpen: (seq: number) => void
}

export const Row = memo(function Row({ id, index, seq, event, gone, open, narrow, onOpen }: RowProps) {
  const failed = event !== undefined && saysFailed(event)
  return (
    <tr
      id={id}
      aria-rowindex={index + 2}
      aria-selected={open}
      onClick={gone ? undefined : () => onOpen(seq)}
      className={classes(
        'relative w-full border-b border-line',
        !gone && 'cursor-pointer',
        narrow ? 'flex h-12 flex-col justify-center px-4' : `h-6 items-center text-12 ${columns}`,
        open ? 'bg-high shadow-[inset_3px_0_0_var(--gold)]' : !gone && 'hover:bg-raised',
      )}
    >
      {event === undefined ? (
        <Waiting seq={seq} gone={gone} narrow={narrow} />
      ) : narrow ? (
        <NarrowCells event={event} failed={failed} />
      ) : (
        <Cells event={event} failed={failed} />
      )}
    </tr>
  )
})

function Cells({ event, failed }: { readonly event: StoredEvent; readonly failed: boolean }) {
  return (
    <>
      <td className="text-right text-text-3">{f.count(event.seq)}</td>
      <td className="text-right text-text-2" title={f.moment(event.ts)}>
        {f.fineClock(event.ts)}
      </td>
      <td className="flex min-w-0 items-center gap-2">
        <Glyph name={glyphOf(event)} size={14} />
        <span className={classes('truncate font-mono text-11', failed ? 'text-failed' : 'text-text')}>
          {event.event}
        </span>
      </td>
      <td className="truncate font-medium" title={agentOf(event)}>
        {agentOf(event) ?? words.unknown}
      </td>
      <td className={`truncate text-text-2 ${wideOnly}`} title={event.session_id}>
        {event.session_id}
      </td>
      <td className={`truncate text-text-2 ${wideOnly}`}>{event.source}</td>
      <td className={classes('truncate', failed ? 'text-failed' : 'text-text')}>
        {describe(event) || words.unknown}
      </td>
    </>
  )
}

function NarrowCells({ event, failed }: { readonly event: StoredEvent; readonly failed: boolean }) {
  return (
    <>
      <td className="flex min-w-0 items-center gap-2 text-12">
        <Glyph name={glyphOf(event)} size={14} />
        <span className={classes('font-mono text-11', failed ? 'text-failed' : 'text-text')}>
          {event.event}
        </span>
        <span className="min-w-0 flex-1 truncate font-medium">{agentOf(event) ?? ''}</span>
        <span className="text-11 text-text-3">{f.clock(event.ts)}</span>
      </td>
      <td className={classes('truncate pl-5.5 text-12', failed ? 'text-failed' : 'text-text-2')}>
        {describe(event) || words.unknown}
      </td>
    </>
  )
}

/** A row whose event is being read, or was forgotten. */
function Waiting({ seq, gone, narrow }: Pick<RowProps, 'seq' | 'gone' | 'narrow'>) {
  return (
    <>
      <td className={classes('text-text-3', narrow ? 'text-11' : 'text-right')}>
        {seq > 0 ? f.count(seq) : ''}
      </td>
      {gone ? (
        <td className="text-text-3 desk:col-start-3 desk:col-end-[-1]">{words.events.forgotten}</td>
      ) : (
        <td aria-hidden="true" className="desk:col-start-3 desk:col-end-[-1]">
          <span className="block h-2 w-2/3 rounded-tag bg-high" />
        </td>
      )}
    </>
  )
}
