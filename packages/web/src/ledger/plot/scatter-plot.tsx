import type { CalibrationReply, Quantity } from '@panoptes/schema'
import { toVisibleLine } from '@panoptes/schema/shown'
import { useState } from 'react'
import { type Family, modelFamily } from '../../live/model/names.ts'
import { words } from '../../words.ts'
import { evidencePlace } from '../evidence.ts'
import { quantityText, tickText } from '../format.ts'
import { useSize } from '../use-size.ts'
import { shortModel } from './models.ts'
import { PlotLinks, Tip } from './plot-links.tsx'
import { type LogScale, logScale, TENS, TIMES } from './scale.ts'

const w = words.ledger.calibration
const HEIGHT = 186
const LEFT = 40
const TOP = 8
const BOTTOM = 20
const RIGHT = 12
const HIT = 18
const LONGEST = 80

type Point = CalibrationReply['points'][number]

/** Estimates against actuals on one logarithmic scale. */
export function ScatterPlot(props: { readonly quantity: Quantity; readonly points: readonly Point[] }) {
  const [size, ref] = useSize()
  const points = props.points.filter(({ said: estimated, took }) => estimated > 0 && took > 0)
  const values = points.flatMap(({ said: estimated, took }) => [estimated, took])
  const scale = logScale(values, props.quantity === 'duration' ? TIMES : TENS)
  if (scale === null) return <p className="py-1 text-12 text-text-3">{w.nonePlottable}</p>
  return (
    <div ref={ref} className="relative h-46.5 max-w-130 min-w-0">
      {size !== null && size.width > LEFT + RIGHT && (
        <Drawn quantity={props.quantity} points={points} scale={scale} width={size.width} />
      )}
    </div>
  )
}

function Drawn(props: {
  readonly quantity: Quantity
  readonly points: readonly Point[]
  readonly scale: LogScale
  readonly width: number
}) {
  const { quantity, points, scale, width } = props
  const [at, setAt] = useState<number | null>(null)
  const right = width - RIGHT
  const floor = HEIGHT - BOTTOM
  const xOf = (value: number) => LEFT + scale.at(value) * (right - LEFT)
  const yOf = (value: number) => floor - scale.at(value) * (floor - TOP)
  const chosen = at === null ? undefined : points[at]
  return (
    <>
      <svg width={width} height={HEIGHT} className="absolute inset-0 overflow-visible" aria-hidden="true">
        {scale.ticks.map((tick) => (
          <g key={tick} className="stroke-line">
            <line x1={xOf(tick)} x2={xOf(tick)} y1={TOP} y2={floor} />
            <line x1={LEFT} x2={right} y1={yOf(tick)} y2={yOf(tick)} />
            <text
              x={xOf(tick)}
              y={HEIGHT - 5}
              textAnchor="middle"
              stroke="none"
              className="fill-text-3 text-11"
            >
              {tickText(quantity, tick)}
            </text>
            <text
              x={LEFT - 6}
              y={yOf(tick) + 4}
              textAnchor="end"
              stroke="none"
              className="fill-text-3 text-11"
            >
              {tickText(quantity, tick)}
            </text>
          </g>
        ))}
        <line x1={LEFT} y1={floor} x2={right} y2={TOP} className="stroke-text-3" strokeDasharray="4 4" />
        <text x={LEFT + 6} y={TOP + 10} className="fill-text-3 text-11">
          {w.took}
        </text>
        <text x={right} y={floor - 6} textAnchor="end" className="fill-text-3 text-11">
          {w.estimate}
        </text>
        {points.map((point, i) => (
          <g
            // biome-ignore lint/suspicious/noArrayIndexKey: a mark is identified by its position
            key={i}
            transform={`translate(${xOf(point.said)} ${yOf(point.took)})`}
          >
            <Shape family={modelFamily(point.model)} />
          </g>
        ))}
      </svg>
      <PlotLinks
        label={w.plot}
        onAt={setAt}
        spots={points.map((point, i) => ({
          key: String(i),
          left: xOf(point.said) - HIT / 2,
          top: yOf(point.took) - HIT / 2,
          width: HIT,
          height: HIT,
          label: `${pointLabel(point)}: ${toVisibleLine(point.value, LONGEST)}`,
          place: evidencePlace(point.evidence),
        }))}
      />
      {chosen && (
        <Tip x={xOf(chosen.said)} y={yOf(chosen.took) - 4} within={width}>
          <div className="font-semibold">{pointLabel(chosen)}</div>
          <div className="truncate text-text-2">
            {words.ledger.claims.quote(toVisibleLine(chosen.value, LONGEST))}
          </div>
        </Tip>
      )}
    </>
  )
}

const pointLabel = ({ model, quantity, said: estimated, took }: Point): string =>
  w.point(shortModel(model), quantityText(quantity, estimated), quantityText(quantity, took))

const fills: Readonly<Record<Family, string>> = {
  opus: 'fill-opus',
  sonnet: 'fill-sonnet',
  haiku: 'fill-haiku',
  other: 'fill-raised stroke-other',
}

/** The mark of a model: a triangle, a square, a disc, or an open diamond for any other. */
export function Shape({ family }: { readonly family: Family }) {
  const className = fills[family]
  if (family === 'opus') return <path d="M0-4.6 4.4 3.400H-4.400Z" className={className} />
  if (family === 'sonnet') return <rect x="-3.5" y="-3.5" width="7" height="7" className={className} />
  if (family === 'haiku') return <circle r="3.6" className={className} />
  return <path d="M0-4.5 4.5 0 0 4.5-4.5 0Z" className={className} strokeWidth="1.5" />
}
