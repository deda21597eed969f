import type { StoredEvent } from '@panoptes/schema'
import { readAgentId, reportsFailure } from '@panoptes/schema/reading'
import { type KeyboardEvent, memo, type RefCallback, useEffect } from 'react'
import { classes } from '../design/class-names.ts'
import { Glyph } from '../design/glyph.tsx'
import * as f from '../format.ts'
import { words } from '../words.ts'
import { describe, eventGlyph } from './describe.ts'
import type { EventList } from './list.ts'
import type { RowWindow } from './use-row-window.ts'

export const HEAD = 28
const w = words.events

/** Newest first; only the visible rows are drawn. */
export function EventTable(props: {
  readonly box: RefCallback<HTMLDivElement>
  readonly list: EventList
  readonly rows: number
  /** Changes with every change of the list. */
  readonly version: number
  readonly view: RowWindow
  readonly open: number | undefined
  readonly narrow: boolean
  readonly onOpen: (seq: number) => void
  readonly onStep: (step: number) => void
}) {
  const { list, rows, view, open } = props
  const { first, end } = view
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new version may need other rows
  useEffect(() => list.setVisibleRange(first, end), [list, first, end, props.version])

  const at = open === undefined ? undefined : list.indexOf(open)
  const isDrawn = at !== undefined && at >= first && at < end

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) props.onStep(step)
    else if (event.key === 'Enter' && open === undefined) props.onStep(1)
    else return
    event.preventDefault()
  }
  return (
    <div className="relative flex min-h-0 flex-1 after:pointer-events-none after:absolute after:inset-0 has-[table:focus-visible]:after:outline-2 has-[table:focus-visible]:after:-outline-offset-2 has-[table:focus-visible]:after:outline-text">
      <table
        ref={props.box}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the keyboard opens its rows
        role="grid"
        aria-label={w.table}
        aria-rowcount={rows + 1}
        aria-activedescendant={isDrawn ? `event-${open}` : undefined}
        tabIndex={0}
        onScroll={view.onScroll}
        onKeyDown={onKeyDown}
        className="@container relative block min-h-0 flex-1 overflow-x-hidden overflow-y-scroll text-left [overflow-anchor:none] outline-none"
      >
        <thead className={props.narrow ? 'sr-only' : 'sticky top-0 z-10 block'}>
          <tr
            aria-rowindex={1}
            className={classes(
              'h-7 w-full items-center border-b border-line bg-surface text-11 text-text-3',
              columns,
            )}
          >
            <Head name={w.columns.seq} end />
            <Head name={w.columns.time} end />
            <Head name={w.columns.event} />
            <Head name={w.columns.agent} />
            <Head name={w.columns.session} className={wideOnly} />
            <Head name={w.columns.source} className={wideOnly} />
            <Head name={w.columns.what} />
          </tr>
        </thead>
        <tbody className="block" style={{ height: view.height, paddingTop: view.offset }}>
          {Array.from({ length: Math.max(0, end - first) }, (_, i) => {
            const index = first + i
            const seq = list.keyAt(index)
            return (
              <Row
                key={seq}
                id={`event-${seq}`}
                index={index}
                seq={seq}
                event={list.at(index)}
                gone={list.isGone(index)}
                open={seq === open}
                narrow={props.narrow}
                onOpen={props.onOpen}
              />
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

function Head(props: { readonly name: string; readonly end?: boolean; readonly className?: string }) {
  return (
    <th scope="col" className={classes('font-normal', props.end && 'text-right', props.className)}>
      {props.name}
    </th>
  )
}

/** Columns from 760 px on; the table is narrower while an event is open beside it. */
const columns =
  'desk:grid desk:grid-cols-[60px_84px_116px_minmax(80px,1fr)_minmax(160px,3fr)] desk:gap-x-3.5 desk:px-4 @min-[780px]:grid-cols-[60px_84px_116px_minmax(80px,1fr)_minmax(80px,1fr)_84px_minmax(180px,3.5fr)]'
const wideOnly = 'hidden @min-[780px]:block'

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

const Row = memo(function Row({ id, index, seq, event, gone, open, narrow, onOpen }: RowProps) {
  const failed = event !== undefined && reportsFailure(event)
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
        <Glyph name={eventGlyph(event)} size={14} />
        <span className={classes('truncate font-mono text-11', failed ? 'text-failed' : 'text-text')}>
          {event.event}
        </span>
      </td>
      <td className="truncate font-medium" title={readAgentId(event)}>
        {readAgentId(event) ?? words.unknown}
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
        <Glyph name={eventGlyph(event)} size={14} />
        <span className={classes('font-mono text-11', failed ? 'text-failed' : 'text-text')}>
          {event.event}
        </span>
        <span className="min-w-0 flex-1 truncate font-medium">{readAgentId(event) ?? ''}</span>
        <span className="text-11 text-text-3">{f.clock(event.ts)}</span>
      </td>
      <td className={classes('truncate pl-5.5 text-12', failed ? 'text-failed' : 'text-text-2')}>
        {describe(event) || words.unknown}
      </td>
    </>
  )
}

/** A row whose event is loading or was forgotten. */
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
