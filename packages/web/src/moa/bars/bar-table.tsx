import { words } from '../../words.ts'
import { timeText } from '../format.ts'
import type { BarRow, Stretch } from './bars.ts'
import { rowMoney } from './row-money.ts'

const w = words.moa.bars
const MOST = 200

/** The bars as a table for screen readers. */
export function BarTable({ rows }: { readonly rows: readonly BarRow[] }) {
  const { columns } = w
  return (
    <div className="sr-only">
      <table>
        <caption>{w.label}</caption>
        <thead>
          <tr>
            {[columns.slot, columns.begins, columns.first, columns.took, columns.money, columns.came].map(
              (name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {rows.flatMap((row) =>
            row.stretches.slice(0, MOST).map((stretch, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a call is identified by its position
              <tr key={`${row.key}-${i}`}>
                <th scope="row">{rowName(row)}</th>
                <td>{timeText(stretch.from)}</td>
                <td>{timeText(stretch.first === null ? null : stretch.first - stretch.from)}</td>
                <td>{stretch.isRunning ? w.running : timeText(stretch.to - stretch.from)}</td>
                <td>{i === 0 ? rowMoney(row) : ''}</td>
                <td>{outcomeText(stretch)}</td>
              </tr>
            )),
          )}
        </tbody>
      </table>
    </div>
  )
}

const rowName = ({ letter, label }: BarRow): string =>
  letter === null ? `${w.aggregator} ${label}` : `${letter} ${label}`

const outcomeText = ({ error, isRunning }: Stretch): string =>
  isRunning ? w.running : error === null ? w.answered : words.moa.errors[error]
