import { type KeyboardEvent, type RefCallback, useEffect } from 'react'
import { classes } from '../design/class.ts'
import { words } from '../words.ts'
import type { EventList } from './list.ts'
import { columns, Row, wideOnly } from './row.tsx'
import type { RowWindow } from './use-row-window.ts'

export const HEAD = 28
const w = words.events

/** Newest first; only the rows in view are drawn. */
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
  useEffect(() => list.want(first, end), [list, first, end, props.version])

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
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows are opened from it by key
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
