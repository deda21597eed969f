import * as f from '../../format.ts'
import { timeText } from '../../ledger/format.ts'
import { useSize } from '../../ledger/use-size.ts'
import { words } from '../../words.ts'
import { familyColor } from '../format.ts'
import { type BarRow, createScale, rowMoney, type TimeScale, type TimeSpan, workTime } from './bars.ts'

const w = words.moa.bars
const ROW = 19.5
const BAR = 12
const FOOT = 20
const NARROW = 560
/** The approximate width of a small letter. */
const LETTER = 6
const MOST = 200

interface LabelSpace {
  readonly left: number
  readonly right: number
}

/** Shows on one scale when each slot was asked, sent its first token and ended. */
export function TimeBars(props: {
  readonly rows: readonly BarRow[]
  /** The minimum length of the scale, so that it does not jump while a turn begins. */
  readonly least?: number
  readonly money?: boolean
}) {
  const [size, ref] = useSize()
  const width = size?.width ?? null
  const { rows, money = true } = props
  const height = rows.length * ROW + FOOT
  return (
    <div className="relative min-w-0">
      <div ref={ref} style={{ height }}>
        {width !== null && width > 0 && (
          <Drawn
            rows={rows}
            scale={createScale(rows, props.least)}
            width={width}
            height={height}
            money={money}
          />
        )}
      </div>
      <BarTable rows={rows} />
    </div>
  )
}

function Drawn(props: {
  readonly rows: readonly BarRow[]
  readonly scale: TimeScale
  readonly width: number
  readonly height: number
  readonly money: boolean
}) {
  const { rows, scale, width, height } = props
  const narrow = width < NARROW
  const room: LabelSpace = { left: narrow ? 92 : 132, right: (narrow || !props.money ? 0 : 62) + 62 }
  const span = Math.max(1, width - room.left - room.right)
  const xOf = (ms: number) => room.left + (ms / scale.most) * span
  const floor = rows.length * ROW
  const ticks = narrow ? scale.ticks.filter((_, i) => i % 2 === 0) : scale.ticks
  return (
    <svg width={width} height={height} className="absolute inset-0" aria-hidden="true">
      {ticks.map((tick) => (
        <g key={tick}>
          <line x1={xOf(tick)} x2={xOf(tick)} y1={0} y2={floor + 2} className="stroke-line" />
          <text x={xOf(tick)} y={height - 4} textAnchor="middle" className="fill-text-3 text-11">
            {tickText(tick, scale.most)}
          </text>
        </g>
      ))}
      {rows.map((row, i) => (
        <Row
          key={row.key}
          row={row}
          y={i * ROW + 3}
          xOf={xOf}
          width={width}
          money={props.money && !narrow}
          narrow={narrow}
        />
      ))}
    </svg>
  )
}

function Row(props: {
  readonly row: BarRow
  readonly y: number
  readonly xOf: (ms: number) => number
  readonly width: number
  readonly money: boolean
  readonly narrow: boolean
}) {
  const { row, y, xOf, width } = props
  const last = row.stretches.at(-1)
  const color = familyColor(row.family)
  const base = y + BAR - 2
  const failed = last !== undefined && isFailed(last)
  return (
    <g>
      <title>{row.label}</title>
      <text x={0} y={base} className="fill-text-2 text-12">
        {row.letter !== null && <tspan className="fill-text font-semibold">{row.letter}</tspan>}
        <tspan x={row.letter === null ? 0 : 16}>
          {cut(row.letter === null ? w.aggregator : row.name, props.narrow ? 10 : 16)}
        </tspan>
        {row.stretches.length > 1 && !props.narrow && (
          <tspan className="fill-text-3"> {w.times(row.stretches.length)}</tspan>
        )}
      </text>
      {row.stretches.map((stretch, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a call is identified by its position
        <Bar key={i} stretch={stretch} y={y} xOf={xOf} color={color} />
      ))}
      {last !== undefined && (
        <text
          x={xOf(last.to) + 6}
          y={base}
          className={failed ? 'fill-failed text-11' : 'fill-text-3 text-11'}
        >
          {barText(row, last, width - (props.money ? 66 : 0) - xOf(last.to) - 6)}
        </text>
      )}
      {props.money && (
        <text x={width} y={base} textAnchor="end" className="fill-text text-12 font-semibold">
          {rowMoney(row)}
        </text>
      )}
    </g>
  )
}

function Bar(props: {
  readonly stretch: TimeSpan
  readonly y: number
  readonly xOf: (ms: number) => number
  readonly color: string
}) {
  const { stretch, y, xOf, color } = props
  const [from, to] = [xOf(stretch.from), Math.max(xOf(stretch.to), xOf(stretch.from) + 1.5)]
  const failed = isFailed(stretch)
  const skipped = stretch.error === 'skipped' || stretch.error === 'aborted'
  // Without a first token, the whole time counts as waiting.
  const hasFirst = stretch.first !== null
  const answers = hasFirst ? xOf(stretch.first ?? 0) : stretch.error !== null || stretch.isRunning ? to : from
  const stroke = failed ? 'var(--failed)' : color
  return (
    <>
      {answers > from && (
        <rect
          x={from}
          y={y}
          width={Math.max(1, answers - from)}
          height={BAR}
          rx="2"
          fill={stroke}
          fillOpacity={skipped ? 0.08 : 0.22}
          stroke={stroke}
          strokeOpacity="0.6"
          {...(failed || skipped ? { strokeDasharray: '3 2' } : {})}
        />
      )}
      {to > answers && (
        <rect
          x={answers}
          y={y}
          width={Math.max(1, to - answers)}
          height={BAR}
          rx="2"
          fill={color}
          {...(failed ? { fillOpacity: 0.55, stroke: 'var(--failed)', strokeDasharray: '3 2' } : {})}
        />
      )}
    </>
  )
}

const isFailed = ({ error }: TimeSpan): boolean =>
  error !== null && error !== 'skipped' && error !== 'aborted'

/** The working time of a slot, or why it did not work. */
function barText(row: BarRow, last: TimeSpan, room: number): string {
  if (last.error !== null) {
    const why = `${isFailed(last) ? '✕ ' : ''}${words.moa.errors[last.error]}`
    return why.length * LETTER <= room ? why : isFailed(last) ? '✕' : words.unknown
  }
  const worked = f.duration(workTime(row))
  return last.isRunning ? `${worked}…` : worked
}

/** Formats all ticks of an axis in one unit. */
function tickText(ms: number, most: number): string {
  if (most < 1_000) return `${f.count(ms)} ms`
  if (most >= 120_000) return ms === 0 ? '0' : f.duration(ms)
  return w.second(String(Number((ms / 1_000).toFixed(2))))
}

const cut = (text: string, most: number): string =>
  text.length > most ? `${text.slice(0, most - 1)}…` : text

/** The bars as a table for screen readers. */
function BarTable({ rows }: { readonly rows: readonly BarRow[] }) {
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

const outcomeText = ({ error, isRunning }: TimeSpan): string =>
  isRunning ? w.running : error === null ? w.answered : words.moa.errors[error]
