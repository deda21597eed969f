import { type ReactNode, type RefObject, useEffect, useState } from 'react'
import { Button } from '../../design/button.tsx'
import { classes } from '../../design/class-names.ts'
import { useGrid } from '../../events/use-grid.ts'
import { words } from '../../words.ts'
import { saveFile, toCsv } from '../csv.ts'
import { useSize } from '../use-size.ts'
import { type Column, columnsFor } from './columns.ts'

const w = words.ledger
const ROW = 34
const CARD = 68
const HEAD = 28
const PAGE_ROWS = 10
const AHEAD = 40

export interface Csv<T> {
  readonly file: string
  readonly heads: readonly string[]
  readonly toRow: (row: T) => readonly (string | number | null)[]
}

export interface LedgerTableProps<T> {
  readonly label: string
  readonly rows: readonly T[]
  readonly total: number
  readonly columns: readonly Column<T>[]
  readonly rowKey: (row: T) => string
  /** The lines of a row as a card; at most three. */
  readonly card: (row: T) => readonly ReactNode[]
  readonly csv: Csv<T>
  /** The key of the row whose panel is open. */
  readonly open?: string | null
  readonly onOpen: (row: T) => void
  /** Loads more rows if there are more. */
  readonly onMore?: (() => void) | undefined
  readonly grid: RefObject<HTMLTableElement | null>
}

/** Shows the first rows, then all of them on request; only visible ones are drawn. */
export function LedgerTable<T>(props: LedgerTableProps<T>) {
  const [size, ref] = useSize()
  return (
    <div ref={ref} className="flex min-h-0 min-w-0 flex-1 flex-col">
      {size !== null && <Drawn {...props} shown={columnsFor(props.columns, size.width)} />}
    </div>
  )
}

function Drawn<T>(props: LedgerTableProps<T> & { readonly shown: readonly Column<T>[] }) {
  const { rows, total, shown, onMore, onOpen } = props
  const isCards = shown.length === 0
  const [all, setAll] = useState(false)
  const { view, at, openAt, table } = useGrid(props.grid, {
    rows: rows.length,
    rowHeight: isCards ? CARD : ROW,
    head: isCards ? 0 : HEAD,
    pageRows: PAGE_ROWS,
    letters: true,
    onOpen: (index) => {
      const row = rows[index]
      if (row !== undefined) onOpen(row)
    },
  })
  const near = view.end + AHEAD >= rows.length
  useEffect(() => {
    if (all && near) onMore?.()
  }, [all, near, onMore])
  const tracks = isCards ? undefined : { gridTemplateColumns: shown.map(({ track }) => track).join(' ') }
  const rest = total - rows.length
  return (
    <>
      <div className="flex min-h-0 flex-1 flex-col">
        <div className="relative flex min-h-0 after:pointer-events-none after:absolute after:inset-0 after:z-20 has-[table:focus-visible]:after:outline-2 has-[table:focus-visible]:after:-outline-offset-2 has-[table:focus-visible]:after:outline-text">
          <table
            {...table}
            tabIndex={0}
            // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the keyboard opens its rows
            role="grid"
            aria-label={props.label}
            aria-rowcount={total + 1}
            aria-activedescendant={at >= view.first && at < view.end ? `ledger-${at}` : undefined}
            className="relative block min-h-0 flex-1 overflow-x-hidden overflow-y-auto text-left [overflow-anchor:none] outline-none"
          >
            <thead className={isCards ? 'sr-only' : 'sticky top-0 z-10 block'}>
              <tr
                aria-rowindex={1}
                style={tracks}
                className="grid h-7 w-full items-center gap-x-3.5 border-b border-line bg-surface px-4 text-11 text-text-3"
              >
                {(isCards ? props.columns.slice(0, 1) : shown).map(({ name, end }) => (
                  <th
                    key={name}
                    scope="col"
                    className={classes('truncate font-normal whitespace-nowrap', end && 'text-right')}
                  >
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody className="block" style={{ height: view.height, paddingTop: view.offset }}>
              {rows.slice(view.first, view.end).map((row, i) => {
                const index = view.first + i
                const key = props.rowKey(row)
                return (
                  <tr
                    key={key}
                    id={`ledger-${index}`}
                    aria-rowindex={index + 2}
                    aria-selected={key === props.open}
                    onClick={() => openAt(index)}
                    style={tracks}
                    className={classes(
                      'w-full cursor-pointer border-b border-line',
                      isCards
                        ? 'flex h-17 flex-col justify-center px-4'
                        : 'grid h-8.5 items-center gap-x-3.5 px-4 text-12',
                      key === props.open
                        ? 'bg-high shadow-[inset_3px_0_0_var(--gold)]'
                        : index === at
                          ? 'bg-raised'
                          : 'hover:bg-raised',
                    )}
                  >
                    {isCards
                      ? props.card(row).map((line, n) => (
                          <td
                            // biome-ignore lint/suspicious/noArrayIndexKey: a line is identified by its position
                            key={n}
                            className={classes('block truncate', n === 0 ? 'text-13' : 'text-11 text-text-3')}
                          >
                            {line}
                          </td>
                        ))
                      : shown.map(({ name, end, cell }) => (
                          <td key={name} className={classes('min-w-0 truncate', end && 'text-right')}>
                            {cell(row)}
                          </td>
                        ))}
                  </tr>
                )
              })}
            </tbody>
          </table>
        </div>
      </div>
      <div className="flex min-h-10 shrink-0 flex-wrap items-center gap-2 border-t border-line px-4 py-1 text-12 text-text-3">
        <span role="status">{w.showing(rows.length, total)}</span>
        {!all && rest > 0 && onMore && (
          <Button
            onClick={() => {
              setAll(true)
              onMore()
            }}
          >
            {w.all(total)}
          </Button>
        )}
        <span className="flex-1" />
        <Button kind="quiet" icon="download" title={w.csvHint} onClick={() => save(props)}>
          {w.csv}
        </Button>
      </div>
    </>
  )
}

function save<T>({ csv, rows }: LedgerTableProps<T>): void {
  saveFile(csv.file, toCsv(csv.heads, rows.map(csv.toRow)))
}
