import type { LedgerOverview } from '@panoptes/schema'
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { words } from '../../words.ts'
import { Block, LedgerCard, moreClass } from '../block.tsx'
import { Calibration, useQuantity } from '../calibration.tsx'
import { PlaceLink } from '../place-link.tsx'
import { calibrationQuery } from '../queries.ts'
import { type LedgerSearch, toQueryString, toTab } from '../search-params.ts'
import { describeScope } from '../span-text.ts'
import { BudgetsCard } from './budgets-card.tsx'
import { ClaimsCard } from './claims-card.tsx'
import { CostCard } from './cost-card.tsx'
import { FlaggedCard } from './flagged-card.tsx'
import { OutcomesCard } from './outcomes-card.tsx'
import { SkillsCard } from './skills-card.tsx'

/** Everything at a glance; each part loads and fails on its own. */
export function Summary(props: {
  readonly search: LedgerSearch
  readonly now: number
  readonly head: UseQueryResult<LedgerOverview>
}) {
  const { search, now } = props
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <div tabIndex={0} className="min-h-0 flex-1 overflow-y-auto outline-offset-[-2px]">
      <div className="grid gap-3 px-4 py-3 roomy:grid-cols-[minmax(0,1fr)_360px] wide:grid-cols-[minmax(0,1fr)_380px] max-desk:px-2.5">
        <LedgerCard className="min-h-71">
          <CostCard search={search} now={now} />
        </LedgerCard>
        <LedgerCard className="min-h-71">
          <CalibrationCard search={search} now={now} />
        </LedgerCard>
        <LedgerCard>
          <SkillsCard search={search} now={now} />
          <ClaimsCard search={search} now={now} />
        </LedgerCard>
        <LedgerCard>
          <OutcomesCard search={search} now={now} />
          <FlaggedCard query={props.head} search={search} />
          <BudgetsCard />
        </LedgerCard>
      </div>
    </div>
  )
}

const w = words.ledger

/** Estimates against actuals. */
function CalibrationCard({ search, now }: { readonly search: LedgerSearch; readonly now: number }) {
  const query = useQuery(calibrationQuery(toQueryString(search, now)))
  const { quantity, choice } = useQuantity(query.data)
  const rows = query.data?.rows.length ?? 0
  const table = rows > 0 && (
    <PlaceLink
      place={{ to: '/ledger', search: { ...toTab(search, 'claims'), view: 'calibration' } }}
      className={moreClass}
    >
      {w.calibration.byModel}
    </PlaceLink>
  )
  return (
    <Block
      title={w.calibration.title}
      query={query}
      lines={6}
      end={
        <>
          {choice}
          {table}
        </>
      }
    >
      {(reply) => (
        <Calibration reply={reply} quantity={quantity} none={w.calibration.none(describeScope(search))} />
      )}
    </Block>
  )
}
