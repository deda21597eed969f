import type { Paths } from '@panoptes/engine/home'
import type { Ledger } from '@panoptes/engine/ledger'
import { openSessions, type Sessions } from '@panoptes/engine/sessions'
import type { Config } from '@panoptes/schema'
import type { Log } from './log.ts'
import type { Home } from './start.ts'

/** What the home says of past sessions: where the index is, and by which prices and for how long it is kept. */
export const keptBy = (paths: Paths, { prices, retention }: Config) => ({
  file: paths.index,
  catalogue: paths.prices,
  prices,
  maxAgeDays: retention.sessions_max_age_days,
})

/** Past sessions. Without them Panoptes still does everything else. */
export async function openSessionsOf(
  { paths, env, config, place }: Home,
  { marked, forgetting }: Ledger,
  { logger }: Log,
): Promise<Sessions | undefined> {
  const forgotten = await forgetting.forgotten()
  const opened = forgotten.ok
    ? await openSessions({ ...keptBy(paths, config), env, place, marked, forgotten: forgotten.value })
    : forgotten
  if (opened.ok) return opened.value
  logger.error({ code: opened.code }, `sessions: ${opened.message}`)
  return undefined
}
