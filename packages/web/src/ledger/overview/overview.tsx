import type { LedgerOverview } from '@panoptes/schema'
import type { UseQueryResult } from '@tanstack/react-query'
import { LedgerCard } from '../block.tsx'
import type { LedgerSearch } from '../search.ts'
import { BudgetsCard } from './budgets-card.tsx'
import { CalibrationCard } from './calibration-card.tsx'
import { ClaimsCard } from './claims-card.tsx'
import { CostCard } from './cost-card.tsx'
import { FlaggedCard } from './flagged-card.tsx'
import { OutcomesCard } from './outcomes-card.tsx'
import { SkillsCard } from './skills-card.tsx'

/** Everything at a glance; each part is read, and fails, alone. */
export function Overview(props: {
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
