import type { Accounts } from '@panoptes/engine/ledger'
import type { Result, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'

const PAGE = 1_000

/** Every session that has a line in a journal, or ought to. */
export async function sessionsToWrite(
  accounts: Pick<Accounts, 'agents' | 'claims'>,
): Promise<Result<readonly SessionRef[]>> {
  const found = new Map<string, SessionRef>()
  for (const list of [accounts.agents.bind(accounts), accounts.claims.bind(accounts)]) {
    for (let offset = 0; ; offset += PAGE) {
      const page = await list({ limit: PAGE, offset })
      if (!page.ok) return page
      for (const { source, session_id } of page.value.rows)
        found.set(JSON.stringify([source, session_id]), { source, id: session_id })
      if (page.value.rows.length < PAGE) break
    }
  }
  return success([...found.values()])
}
