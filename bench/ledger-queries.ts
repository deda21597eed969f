import type { AccountFilter, Accounts } from '@panoptes/engine/store'
import type { CostGroup, Result } from '@panoptes/schema'

const PAGE = { limit: 100 }
/** The number of rows behind the table of estimates. */
const ESTIMATES = { limit: 1_000, measured: true }

interface Answer {
  readonly name: string
  readonly ask: (accounts: Accounts, filter: AccountFilter) => Promise<Result<unknown>>
}

const GROUPS: readonly CostGroup[] = ['source', 'project', 'model', 'agent', 'skill']

/** All queries of the Ledger page. */
export const ANSWERS: readonly Answer[] = [
  { name: 'totals', ask: (accounts, filter) => accounts.totals(filter) },
  {
    name: 'costs by day and model',
    ask: (accounts, filter) => accounts.costs({ ...filter, by: 'day', splitByModel: true }),
  },
  ...GROUPS.map((by) => ({
    name: `costs by ${by}`,
    ask: (accounts: Accounts, filter: AccountFilter) => accounts.costs({ ...filter, by }),
  })),
  {
    name: 'most costly sessions',
    ask: (accounts, filter) => accounts.costs({ ...filter, by: 'session', limit: 100 }),
  },
  { name: 'skills', ask: (accounts, filter) => accounts.skills(filter) },
  { name: 'outcomes', ask: (accounts, filter) => accounts.outcomes(filter) },
  { name: 'flagged agents', ask: (accounts, filter) => accounts.flagged({ ...filter, limit: 20 }) },
  { name: 'follow-ups', ask: (accounts, filter) => accounts.followUps({ ...filter, ...PAGE }) },
  { name: 'claims', ask: (accounts, filter) => accounts.claims({ ...filter, ...PAGE }) },
  { name: 'measured estimates', ask: (accounts, filter) => accounts.claims({ ...filter, ...ESTIMATES }) },
  { name: 'agents', ask: (accounts, filter) => accounts.agents({ ...filter, ...PAGE }) },
]
