import { clamp } from '@panoptes/schema/numbers'
import { type KeyboardEvent, useMemo, useState } from 'react'
import { classes } from '../../design/class-names.ts'
import { useRowWindow } from '../../events/use-row-window.ts'
import { useMedia } from '../../shell/use-media.ts'
import { useNow } from '../../shell/use-now.ts'
import { words } from '../../words.ts'
import { toAgentKey } from '../data/agent-key.ts'
import type { Scene } from '../data/source.ts'
import { type LiveFilter, sessionHosts } from '../model/filter.ts'
import { AgentRow, columns, columnsOfMany, HeadRow, wideOnly, widestOnly } from './row.tsx'
import { type TableRow, tableRows } from './rows.ts'

const w = words.live.tableView
const ROW = 28
const NARROW_ROW = 48
const HEAD = 28

/** The graph as rows: Needs you, then every session's tree. */
export function AgentTable(props: {
  readonly scene: Scene
  readonly filter: LiveFilter
  readonly selected: string | null
  readonly onSelect: (key: string) => void
}) {
  const { scene, filter, selected } = props
  const [box, setBox] = useState<HTMLTableElement | null>(null)
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set())
  const narrow = useMedia('(width < 760px)')
  const now = useNow()
  const many = useMemo(() => sessionHosts(scene.sessions).size > 0, [scene.sessions])
  const rows = useMemo(
    () => tableRows(scene, { filter, now, folded, needsTitle: words.live.needs.title }),
    [scene, filter, now, folded],
  )
  const view = useRowWindow(box, {
    rows: rows.length,
    rowHeight: narrow ? NARROW_ROW : ROW,
    head: narrow ? 0 : HEAD,
  })
  const fold = (key: string) =>
    setFolded((before) => {
      const next = new Set(before)
      if (!next.delete(key)) next.add(key)
      return next
    })
  const step = (by: number) => {
    const agents = rows.flatMap((row, index) => (row.kind === 'agent' && !row.above ? [{ row, index }] : []))
    const at = agents.findIndex(({ row }) => toAgentKey(row.agent) === selected)
    const next = agents[clamp(at + by, 0, agents.length - 1)]
    if (!next) return
    props.onSelect(toAgentKey(next.row.agent))
    view.toRow(next.index)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const by = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key]
    if (by === undefined) return
    step(by)
    event.preventDefault()
    event.stopPropagation()
  }
  const shown = rows.slice(view.first, view.end)
  const active = shown.find((row) => row.kind === 'agent' && toAgentKey(row.agent) === selected)
  return (
    <>
      <div className="relative flex min-h-0 flex-1 after:pointer-events-none after:absolute after:inset-0 has-[table:focus-visible]:after:outline-2 has-[table:focus-visible]:after:-outline-offset-2 has-[table:focus-visible]:after:outline-text">
        <table
          ref={setBox}
          // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the keyboard opens agents from it
          role="treegrid"
          aria-label={w.label}
          aria-rowcount={rows.length + 1}
          aria-activedescendant={active && rowId(active)}
          tabIndex={0}
          onScroll={view.onScroll}
          onKeyDown={onKeyDown}
          className="@container relative block min-h-0 flex-1 overflow-x-hidden overflow-y-scroll text-left [overflow-anchor:none] outline-none"
        >
          <thead className={narrow ? 'sr-only' : 'sticky top-0 z-10 block'}>
            <tr
              aria-rowindex={1}
              className={classes(
                'h-7 w-full items-center border-b border-line bg-surface text-11 text-text-3',
                many ? columnsOfMany : columns,
              )}
            >
              {(many ? HEADS_OF_MANY : HEADS).map(({ name, end, only }) => (
                <th key={name} scope="col" className={classes('font-normal', end && 'text-right', only)}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody className="block" style={{ height: view.height, paddingTop: view.offset }}>
            {shown.map((row, i) =>
              row.kind === 'head' ? (
                <HeadRow key={row.key} row={row} index={view.first + i} narrow={narrow} onFold={fold} />
              ) : (
                <AgentRow
                  key={row.key}
                  id={rowId(row)}
                  row={row}
                  index={view.first + i}
                  narrow={narrow}
                  many={many}
                  now={scene.at ?? now}
                  selected={toAgentKey(row.agent) === selected}
                  onSelect={props.onSelect}
                />
              ),
            )}
          </tbody>
        </table>
      </div>
      <div className="flex h-6 shrink-0 items-center justify-end px-4 text-11 text-text-3">
        {rows.length > 0 && w.rows(Math.min(view.top + 1, rows.length), view.bottom, rows.length)}
      </div>
    </>
  )
}

const rowId = (row: TableRow): string => `row-${row.key.replaceAll(' ', '-')}`

const c = w.columns
type Head = { readonly name: string; readonly end?: boolean; readonly only?: string }
const HEADS: readonly Head[] = [
  { name: c.agent },
  { name: c.session, only: wideOnly },
  { name: c.model, only: wideOnly },
  { name: c.doing },
  { name: c.for, end: true },
  { name: c.calls, end: true },
  { name: c.failed, end: true },
  { name: c.tokens, end: true, only: wideOnly },
  { name: c.money, end: true, only: wideOnly },
  { name: c.outcome },
  { name: c.markers, only: widestOnly },
]
const HEADS_OF_MANY: readonly Head[] = HEADS.toSpliced(2, 0, { name: c.computer, only: wideOnly })
