import type { AccountFilter, Accounts } from '@panoptes/engine/ledger'
import type { Claim, Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'

const PAGE = 1_000
/** The newest of them say how well it is estimated now. */
const MOST = 10_000

/** The estimates of which it is known what it took, and how many there are of which it is not. */
export async function estimatesOf(
  accounts: Pick<Accounts, 'claims'>,
  filter: AccountFilter,
): Promise<Result<{ readonly measured: readonly Claim[]; readonly open: number }>> {
  const measured: Claim[] = []
  for (let offset = 0; offset < MOST; offset += PAGE) {
    const page = await accounts.claims({ ...filter, measured: true, limit: PAGE, offset })
    if (!page.ok) return page
    measured.push(...page.value.rows)
    if (page.value.rows.length < PAGE) break
  }
  const rest = await accounts.claims({ ...filter, measured: false, limit: 1 })
  return rest.ok ? success({ measured, open: rest.value.total }) : rest
}
