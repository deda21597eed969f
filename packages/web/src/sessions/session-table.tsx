import type { AgentState, PastSession } from '@panoptes/schema'
import { type RefObject, useEffect, useMemo } from 'react'
import { classes } from '../design/class-names.ts'
import { useGrid } from '../events/use-grid.ts'
import { pastSessionKey } from '../live/data/agent-key.ts'
import { pageAgents } from '../live/data/page-agents.ts'
import { useNow } from '../shell/use-now.ts'
import { useStore } from '../store.ts'
import { words } from '../words.ts'
import { liveStates } from './live-states.ts'
import { columns, columnsOfMany, SessionRow } from './session-row.tsx'

const w = words.sessions
const ROW = 32
const CARD = 68
const HEAD = 28
const AHEAD = 40
const PAGE_ROWS = 10
const MINUTE = 60_000

/** Newest first. Only the visible rows are drawn, and more are loaded near the end. */
export function SessionTable(props: {
  readonly sessions: readonly PastSession[]
  readonly open: string | undefined
  readonly card: boolean
  /** There are sessions of several computers. */
  readonly many: boolean
  readonly more: boolean
  readonly onMore: () => void
  readonly onOpen: (session: PastSession) => void
  readonly grid: RefObject<HTMLTableElement | null>
}) {
  const { sessions, open, card, many, more, onMore, onOpen } = props
  const now = useNow(MINUTE / 4)
  const states = useLiveStates()
  const { view, at, openAt, table } = useGrid(props.grid, {
    rows: sessions.length,
    rowHeight: card ? CARD : ROW,
    head: card ? 0 : HEAD,
    pageRows: PAGE_ROWS,
    letters: open === undefined,
    onOpen: (index) => {
      const session = sessions[index]
      if (session) onOpen(session)
    },
  })
  const near = view.end + AHEAD >= sessions.length
  useEffect(() => {
    if (near && more) onMore()
  }, [near, more, onMore])
  return (
    <div className="relative flex min-h-0 flex-1 after:pointer-events-none after:absolute after:inset-0 has-[table:focus-visible]:after:outline-2 has-[table:focus-visible]:after:-outline-offset-2 has-[table:focus-visible]:after:outline-text">
      <table
        {...table}
        tabIndex={0}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the keyboard opens its rows
        role="grid"
        aria-label={w.table}
        aria-rowcount={more ? -1 : sessions.length + 1}
        aria-activedescendant={at >= view.first && at < view.end ? `session-${at}` : undefined}
        className="relative block min-h-0 flex-1 overflow-x-hidden overflow-y-scroll text-left [overflow-anchor:none] outline-none"
      >
        <thead className={card ? 'sr-only' : 'sticky top-0 z-10 block'}>
          <tr
            aria-rowindex={1}
            className={`h-7 w-full items-center border-b border-line bg-surface text-11 text-text-3 ${many ? columnsOfMany : columns}`}
          >
            {(many ? HEADS_OF_MANY : HEADS).map(({ name, end }) => (
              <th key={name} scope="col" className={classes('font-normal', end && 'text-right')}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody className="block" style={{ height: view.height, paddingTop: view.offset }}>
          {sessions.slice(view.first, view.end).map((session, i) => {
            const index = view.first + i
            const key = pastSessionKey(session)
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
                many={many}
                onOpen={openAt}
              />
            )
          })}
        </tbody>
      </table>
    </div>
  )
}

type Head = { readonly name: string; readonly end?: true }
const HEADS: readonly Head[] = [
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
const HEADS_OF_MANY: readonly Head[] = HEADS.toSpliced(2, 0, { name: w.columns.host })

function useLiveStates(): ReadonlyMap<string, AgentState> {
  const { agents } = useStore(pageAgents)
  return useMemo(() => liveStates(agents), [agents])
}
