import type { CalibrationReply, Quantity } from '@panoptes/schema'
import { toVisible, toVisibleLine } from '@panoptes/schema/shown'
import { useState } from 'react'
import { Segmented } from '../design/segmented.tsx'
import * as f from '../format.ts'
import { modelFamily } from '../live/model/names.ts'
import { words } from '../words.ts'
import { None } from './block.tsx'
import { shortModel } from './plot/models.ts'
import { ScatterPlot, Shape } from './plot/scatter-plot.tsx'

const w = words.ledger.calibration
const QUANTITIES = ['duration', 'tokens', 'money', 'count'] as const satisfies readonly Quantity[]
const LEGEND = 4
const LONGEST = 28

/** The quantities that were estimated and measured, most frequent first. */
function sortQuantities({ points }: Pick<CalibrationReply, 'points'>): readonly Quantity[] {
  const countPoints = (quantity: Quantity) => points.filter((point) => point.quantity === quantity).length
  return QUANTITIES.filter((quantity) => countPoints(quantity) > 0).toSorted(
    (a, b) => countPoints(b) - countPoints(a),
  )
}

/** The shown quantity: the chosen one, else the most frequent. */
export function useQuantity(reply: CalibrationReply | undefined) {
  const [chosen, choose] = useState<Quantity | null>(null)
  const there = reply === undefined ? [] : sortQuantities(reply)
  const quantity = chosen !== null && there.includes(chosen) ? chosen : there[0]
  const choice =
    there.length > 1 && quantity !== undefined ? (
      <Segmented
        label={w.quantity}
        segments={there.map((value) => ({ value, label: w.quantities[value] }))}
        value={quantity}
        onChange={choose}
      />
    ) : undefined
  return { quantity, choice }
}

/** The plot, the ratio of each model, and a sentence about the model with most estimates. */
export function Calibration(props: {
  readonly reply: CalibrationReply
  readonly quantity: Quantity | undefined
  /** Shown if there are no estimates. */
  readonly none: string
}) {
  const { reply, quantity } = props
  if (quantity === undefined) return <None>{reply.open > 0 ? w.onlyOpen(reply.open) : props.none}</None>
  const rows = reply.rows.filter((row) => row.quantity === quantity).toSorted((a, b) => b.claims - a.claims)
  const [most] = rows
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <ul className="flex flex-wrap gap-x-3 gap-y-0.5 pb-1 text-12 text-text-2">
        {rows.slice(0, LEGEND).map(({ model, ratio }) => (
          <li key={model} className="flex items-center gap-1">
            <svg width="12" height="12" viewBox="-6 -6 12 12" aria-hidden="true">
              <Shape family={modelFamily(model)} />
            </svg>
            {w.legend(toVisibleLine(shortModel(model), LONGEST), ratio)}
          </li>
        ))}
      </ul>
      <ScatterPlot
        key={quantity}
        quantity={quantity}
        points={reply.points.filter((point) => point.quantity === quantity)}
      />
      <p className="pt-1 text-12 text-text-3">
        {most && toVisible(most.says)}
        {most && reply.open > 0 && ' · '}
        {reply.open > 0 && w.open(reply.open)}
      </p>
    </div>
  )
}

/** Every model and quantity in numbers. */
export function CalibrationTable({ reply }: { readonly reply: CalibrationReply }) {
  const head = 'py-1.5 pr-5 text-left font-normal whitespace-nowrap'
  const rows = reply.rows.toSorted((a, b) => b.claims - a.claims)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls sideways, so the keyboard must reach it
    <section tabIndex={0} aria-label={w.table} className="overflow-x-auto">
      <table className="w-full text-12">
        <thead>
          <tr className="border-b border-line text-11 text-text-3">
            <th scope="col" className={head}>
              {w.columns.model}
            </th>
            <th scope="col" className={head}>
              {w.columns.quantity}
            </th>
            <th scope="col" className={`${head} text-right`}>
              {w.columns.claims}
            </th>
            <th scope="col" className={`${head} text-right`}>
              {w.columns.ratio}
            </th>
            <th scope="col" className={head}>
              {w.columns.says}
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ model, quantity, claims, ratio, says }) => (
            <tr key={`${quantity} ${model}`} className="border-b border-line last:border-0">
              <th scope="row" className="py-1.5 pr-5 text-left font-semibold whitespace-nowrap">
                {toVisibleLine(model, 2 * LONGEST)}
              </th>
              <td className="py-1.5 pr-5">{w.quantities[quantity]}</td>
              <td className="py-1.5 pr-5 text-right">{f.count(claims)}</td>
              <td className="py-1.5 pr-5 text-right font-semibold">{w.ratio(ratio)}</td>
              <td className="min-w-48 py-1.5 text-text-2">{toVisible(says)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
