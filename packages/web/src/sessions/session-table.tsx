import type { PastSession } from '@panoptes/schema'
import { type KeyboardEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { classes } from '../design/class.ts'
import { useRowWindow } from '../events/use-row-window.ts'
import { sessionKeyOf } from '../live/data/key.ts'
import { useKeys } from '../shell/use-keys.ts'
import { useNow } from '../shell/use-now.ts'
import { words } from '../words.ts'
import { columns, SessionRow } from './session-row.tsx'
import { useLiveStates } from './use-live-states.ts'

const w = words.sessions
const ROW = 32
const CARD = 68
const HEAD = 28
const AHEAD = 40
const PAGE_ROWS = 10
const MINUTE = 60_000

export const keyOf = ({ source, id }: PastSession): string => sessionKeyOf({ source, session_id: id })

/** Newest first; only the rows in view are drawn, and more are read as one comes near the end. */
export function SessionTable(props: {
  readonly sessions: readonly PastSession[]
  readonly open: string | undefined
  readonly card: boolean
  readonly more: boolean
  readonly onMore: () => void
  readonly onOpen: (session: PastSession) => void
  readonly grid: RefObject<HTMLTableElement | null>
}) {
  const { sessions, open, card, more, onMore, onOpen } = props
  const [box, setBox] = useState<HTMLTableElement | null>(null)
  const [active, setActive] = useState(0)
  const { grid } = props
  const attach = useCallback(
    (element: HTMLTableElement | null) => {
      setBox(element)
      grid.current = element
    },
    [grid],
  )
  const now = useNow(MINUTE / 4)
  const states = useLiveStates()
  const rowHeight = card ? CARD : ROW
  const view = useRowWindow(box, { rows: sessions.length, rowHeight, head: card ? 0 : HEAD })
  const near = view.end + AHEAD >= sessions.length
  useEffect(() => {
    if (near && more) onMore()
  }, [near, more, onMore])

  const at = Math.min(active, sessions.length - 1)
  const choose = (index: number) => {
    const next = Math.min(Math.max(0, index), sessions.length - 1)
    setActive(next)
    view.toRow(next)
  }
  const latest = useRef({ sessions, onOpen })
  latest.current = { sessions, onOpen }
  const openAt = useCallback((index: number) => {
    setActive(index)
    const session = latest.current.sessions[index]
    if (session) latest.current.onOpen(session)
  }, [])
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key]
    if (event.key === 'Enter') openAt(at)
    else if (step !== undefined) choose(at + step)
    else return
    event.preventDefault()
  }
  const step = (by: 1 | -1) => () => {
    // The first key chooses what is marked already.
    choose(document.activeElement === box ? at + by : at)
    box?.focus()
  }
  useKeys(open === undefined ? { j: step(1), k: step(-1) } : {})
  return (
    <div className="relative flex min-h-0 flex-1 after:pointer-events-none after:absolute after:inset-0 has-[table:focus-visible]:after:outline-2 has-[table:focus-visible]:after:-outline-offset-2 has-[table:focus-visible]:after:outline-text">
      <table
        ref={attach}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: rows are opened from it by key
        role="grid"
        aria-label={w.table}
        aria-rowcount={more ? -1 : sessions.length + 1}
        aria-activedescendant={at >= view.first && at < view.end ? `session-${at}` : undefined}
        tabIndex={0}
        onScroll={view.onScroll}
        onKeyDown={onKeyDown}
        className="relative block min-h-0 flex-1 overflow-x-hidden overflow-y-scroll text-left [overflow-anchor:none] outline-none"
      >
        <thead className={card ? 'sr-only' : 'sticky top-0 z-10 block'}>
          <tr
            aria-rowindex={1}
            className={`h-7 w-full items-center border-b border-line bg-surface text-11 text-text-3 ${columns}`}
          >
            {HEADS.map(({ name, end }) => (
              <th key={name} scope="col" className={classes('font-normal', end && 'text-right')}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="block" style={{ height: view.height, paddingTop: view.offset }}>
          {sessions.slice(view.first, view.end).map((session, i) => {
            const index = view.first + i
            const key = keyOf(session)
            return (
              <SessionRow
                key={key}
                id={`session-${index}`}
                index={index}
                session={session}
                state={states.get(key)}
                now={now}
                open={key === open}
                active={index === at}
                card={card}
                onOpen={openAt}
              />
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: PAGE_ROWS,
  PageUp: -PAGE_ROWS,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

const HEADS: readonly { readonly name: string; readonly end?: true }[] = [
  { name: w.columns.title },
  { name: w.columns.project },
  { name: w.columns.source },
  { name: w.columns.model },
  { name: w.columns.when, end: true },
  { name: w.columns.messages, end: true },
  { name: w.columns.tools, end: true },
  { name: w.columns.errors, end: true },
  { name: w.columns.activity },
  { name: w.columns.cost, end: true },
]
