import type { LedgerOverview } from '@panoptes/schema'
import * as f from '../../format.ts'
import { words } from '../../words.ts'
import { moneyOf, partText } from '../figures.ts'

const w = words.ledger.stats

/** The sums of the span: one strong figure each. */
export function Stats({ overview, span }: { readonly overview: LedgerOverview; readonly span: string }) {
  const lacks = overview.sessions_without_price
  const isUnknown = overview.cost_micro_usd === 0 && lacks > 0
  return (
    <dl aria-label={w.label} className="flex flex-wrap gap-x-6 gap-y-2">
      <Figure
        value={isUnknown ? words.unknown : moneyOf(overview.cost_micro_usd)}
        label={isUnknown ? w.moneyUnknown(span) : w.money(span, lacks)}
      />
      <Figure value={isUnknown ? words.unknown : moneyOf(overview.saved_micro_usd)} label={w.saved} />
      <Figure value={f.count(overview.agents)} label={w.agents} />
      <Figure
        value={partText(overview.functional, overview.marked)}
        label={w.functional}
        title={w.functionalOf(overview.functional, overview.marked)}
      />
      <Figure
        value={partText(overview.claims_failed, overview.claims_checked)}
        label={w.claims}
        title={w.claimsOf(overview.claims_failed, overview.claims_checked, overview.claims)}
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
