import type { Accounts } from '@panoptes/engine/ledger'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'

export type History = Pick<Accounts, 'costs' | 'agents' | 'skillUses'>

/** How far back the history goes: to the first day that cost something, else to the first agent or use of a skill. */
export async function knownSince(accounts: History): Promise<Result<number | null>> {
  const days = await accounts.costs({ by: 'day' })
  if (!days.ok) return days
  const since = new Date(`${days.value[0]?.name}T00:00:00`).getTime()
  if (!Number.isNaN(since)) return success(since)
  const agent = await last((page) => accounts.agents({ all: true, ...page }))
  if (!agent.ok) return agent
  const use = await last((page) => accounts.skillUses(page))
  if (!use.ok) return use
  const times = [agent.value?.last_at, use.value?.ts].filter((ts) => typeof ts === 'number')
  return success(times.length > 0 ? Math.min(...times) : null)
}

type Page = { readonly limit: number; readonly offset: number }

/** The oldest of a list, which begins with the newest. */
async function last<T>(
  read: (page: Page) => Promise<Result<{ readonly total: number; readonly rows: readonly T[] }>>,
): Promise<Result<T | undefined>> {
  const first = await read({ limit: 1, offset: 0 })
  if (!first.ok || first.value.total <= 1) return first.ok ? success(first.value.rows[0]) : first
  const end = await read({ limit: 1, offset: first.value.total - 1 })
  return end.ok ? success(end.value.rows[0]) : end
}
