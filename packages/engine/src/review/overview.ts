import type { AccountFilter, Accounts } from '@panoptes/engine/ledger'
import type { LedgerOverview, Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'

const MOST_FLAGGED = 20

/** The head of the Ledger page. */
export async function overviewOf(
  accounts: Pick<Accounts, 'totals' | 'flagged'>,
  filter: AccountFilter,
  reading: LedgerOverview['reading'],
): Promise<Result<LedgerOverview>> {
  const [totals, flagged] = await Promise.all([
    accounts.totals(filter),
    accounts.flagged({ ...filter, limit: MOST_FLAGGED }),
  ])
  if (!totals.ok) return totals
  if (!flagged.ok) return flagged
  const { cost_unknown: _, ...sums } = totals.value
  return success({ ...sums, flagged: [...flagged.value.rows], reading })
}
