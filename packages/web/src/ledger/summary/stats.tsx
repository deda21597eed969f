import type { LedgerOverview } from '@panoptes/schema'
import * as f from '../../format.ts'
import { outsideText } from '../../sessions/cost.ts'
import { words } from '../../words.ts'
import { formatMicroUsd, partText } from '../format.ts'

const w = words.ledger.stats

/** The totals of the time range, one number each. */
export function Stats({ overview, span }: { readonly overview: LedgerOverview; readonly span: string }) {
  const lacks = overview.sessions_without_price
  const isUnknown = overview.cost_micro_usd === 0 && lacks > 0
  const { outside_micro_usd: outside, outside_unknown: silent = 0 } = overview
  const isOutsideUnknown = outside === undefined || (outside === 0 && silent > 0)
  return (
    <dl aria-label={w.label} className="flex flex-wrap gap-x-6 gap-y-2">
      <Figure
        value={isUnknown ? words.unknown : formatMicroUsd(overview.cost_micro_usd)}
        label={isUnknown ? w.moneyUnknown(span) : w.money(span, lacks)}
      />
      <Figure
        value={isOutsideUnknown ? words.unknown : outsideText(outside)}
        label={w.outside(silent, isOutsideUnknown)}
        title={w.outsideHint}
      />
      <Figure value={isUnknown ? words.unknown : formatMicroUsd(overview.saved_micro_usd)} label={w.saved} />
      <Figure value={f.count(overview.agents)} label={w.agents} />
      <Figure
        value={partText(overview.functional, overview.marked)}
        label={w.functional}
        title={w.functionalDetail(overview.functional, overview.marked)}
      />
      <Figure
        value={partText(overview.claims_failed, overview.claims_checked)}
        label={w.claims}
        title={w.claimsDetail(overview.claims_failed, overview.claims_checked, overview.claims)}
      />
    </dl>
  )
}

function Figure(props: { readonly value: string; readonly label: string; readonly title?: string }) {
  return (
    <div className="flex flex-col-reverse" title={props.title}>
      <dt className="text-11 text-text-3">{props.label}</dt>
      <dd className="text-18 font-semibold">{props.value}</dd>
    </div>
  )
}
