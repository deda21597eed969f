import { useId, useState } from 'react'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import type { Place } from '../evidence.ts'
import { formatMicroUsd, moneyText, tickText } from '../format.ts'
import { type Size, useSize } from '../use-size.ts'
import { type Column, labelledColumns, stackParts } from './days.ts'
import type { Series } from './models.ts'
import { Patterns, Swatch } from './patterns.tsx'
import { PlotLinks, Tip } from './plot-links.tsx'
import { ticksUpTo } from './scale.ts'

const w = words.ledger.cost
const LEFT = 44
const TOP = 10
const BOTTOM = 22
const NAME_WIDTH = 84

export interface CostPlotProps {
  readonly columns: readonly Column[]
  readonly series: readonly Series[]
  /** Micro-dollars per day, if a budget is drawn. */
  readonly line: number | null
  readonly now: number
  readonly columnPlace: (column: Column) => Place
}

/** Money over time, stacked by model. */
export function CostPlot(props: CostPlotProps) {
  const [size, ref] = useSize()
  return (
    <div ref={ref} className="relative min-h-60 min-w-0 flex-1">
      {size !== null && size.width > LEFT && <Drawn {...props} {...size} />}
    </div>
  )
}

function Drawn(props: CostPlotProps & Size) {
  const { columns, series, line, width, height, now } = props
  const floor = height - BOTTOM
  const id = useId()
  const [at, setAt] = useState<number | null>(null)
  const most = columns.reduce((sofar, { total }) => Math.max(sofar, total), 0)
  const top = Math.max(most, line ?? 0) * 1.1 || 1
  const ticks = ticksUpTo(top, 3).filter((tick) => tick <= top)
  const toY = (value: number) => floor - (value / top) * (floor - TOP)
  const pitch = (width - LEFT) / columns.length
  const gap = pitch > 12 ? 3 : pitch > 5 ? 2 : 1
  const toX = (index: number) => LEFT + index * pitch
  const order = series.map(({ key }) => key)
  const fills = new Map(series.map(({ key }, i) => [key, `url(#${id}-${i})`]))
  const named = labelledColumns(columns.length, Math.max(1, Math.floor((width - LEFT) / NAME_WIDTH)))
  const chosen = at === null ? undefined : columns[at]
  return (
    <>
      <svg width={width} height={height} className="absolute inset-0 overflow-visible" aria-hidden="true">
        <Patterns id={id} series={series} />
        {ticks.map((tick) => (
          <g key={tick}>
            <line x1={LEFT} x2={width} y1={toY(tick)} y2={toY(tick)} className="stroke-line" />
            <text x={LEFT - 8} y={toY(tick) + 4} textAnchor="end" className="fill-text-3 text-11">
              {tick === 0 ? '$0' : tickText('money', tick)}
            </text>
          </g>
        ))}
        {columns.map((column, i) => (
          <g key={column.from}>
            {stackParts(column.parts, order).map(({ key, from, to }) => (
              <rect
                key={key}
                x={toX(i) + gap / 2}
                y={toY(to)}
                width={Math.max(1, pitch - gap)}
                height={Math.max(1, toY(from) - toY(to) - (pitch > 5 ? 1 : 0))}
                rx={pitch > 8 ? 1.5 : 0}
                fill={fills.get(key)}
              />
            ))}
            {column.unknown > 0 && (
              <line
                x1={toX(i) + gap / 2}
                x2={toX(i) + Math.max(1, pitch - gap / 2)}
                y1={toY(column.total) - 3}
                y2={toY(column.total) - 3}
                className="stroke-text-2"
                strokeWidth="1.5"
                strokeDasharray="2 2"
              />
            )}
          </g>
        ))}
        {line !== null && (
          <line
            x1={LEFT}
            x2={width}
            y1={toY(line)}
            y2={toY(line)}
            stroke="var(--gold-text)"
            strokeWidth="1.5"
            strokeDasharray="5 4"
          />
        )}
        {named.map((i) => (
          <text
            key={i}
            x={Math.min(toX(i) + pitch / 2, width - 20)}
            y={height - 5}
            textAnchor="middle"
            className="fill-text-3 text-11"
          >
            {f.day(columns[i]?.from ?? now, now)}
          </text>
        ))}
      </svg>
      <PlotLinks
        label={w.plot}
        onAt={setAt}
        spots={columns.map((column, i) => ({
          key: String(column.from),
          left: toX(i),
          top: TOP,
          width: pitch,
          height: floor - TOP,
          label: columnLabel(column, series, now),
          place: props.columnPlace(column),
        }))}
      />
      {chosen && at !== null && (
        <Tip x={toX(at) + pitch / 2} y={toY(chosen.total)} within={width}>
          <ColumnFigures column={chosen} series={series} now={now} />
        </Tip>
      )}
    </>
  )
}

function ColumnFigures(props: {
  readonly column: Column
  readonly series: readonly Series[]
  readonly now: number
}) {
  const { column, series, now } = props
  return (
    <>
      <div className="flex justify-between gap-3 font-semibold">
        <span>{columnSpan(column, now)}</span>
        <span>{totalText(column)}</span>
      </div>
      {series.toReversed().map(({ key, ...one }) => {
        const part = column.parts.get(key) ?? 0
        if (part === 0) return null
        return (
          <div key={key} className="flex items-center gap-1.5 text-text-2">
            <Swatch series={{ key, ...one }} />
            <span className="min-w-0 flex-1 truncate">{one.name}</span>
            <span className="text-text">{formatMicroUsd(part)}</span>
          </div>
        )
      })}
      {column.unknown > 0 && <div className="text-text-3">{w.noPrice(column.unknown)}</div>}
    </>
  )
}

const totalText = ({ total, unknown }: Column): string => moneyText(total, total === 0 ? unknown : 0)

/** The first day, and the last one if it differs. */
function columnSpan({ from, to }: Column, now: number): string {
  return w.span(f.day(from, now), f.day(to - 1, now))
}

function columnLabel(column: Column, series: readonly Series[], now: number): string {
  const parts = series.flatMap(({ key, name }) => {
    const part = column.parts.get(key) ?? 0
    return part === 0 ? [] : [`${name} ${formatMicroUsd(part)}`]
  })
  const lacks = column.unknown > 0 ? [w.noPrice(column.unknown)] : []
  return w.columnLabel(columnSpan(column, now), totalText(column), [...parts, ...lacks])
}
