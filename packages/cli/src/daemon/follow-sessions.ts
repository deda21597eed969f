import type { Paths } from '@panoptes/engine/home'
import type { Ledger } from '@panoptes/engine/ledger'
import { openSessions, type Sessions } from '@panoptes/engine/sessions'
import type { Config } from '@panoptes/schema'
import type { Log } from './log.ts'
import type { StartOptions } from './start.ts'

/** What the home says of past sessions: where the index is, and by which prices and for how long it is kept. */
export const keptBy = (paths: Paths, { prices, retention }: Config) => ({
  file: paths.index,
  catalogue: paths.prices,
  prices,
  maxAgeDays: retention.sessions_max_age_days,
})

/** Past sessions, kept up to date. Without them Panoptes still does everything else. */
export async function followSessions(
  { paths, env, config }: Pick<StartOptions, 'paths' | 'env' | 'config'>,
  { marked, forgetting }: Ledger,
  { logger }: Log,
): Promise<Sessions | undefined> {
  const forgotten = await forgetting.forgotten()
  const opened = forgotten.ok
    ? await openSessions({ ...keptBy(paths, config), env, marked, forgotten: forgotten.value })
    : forgotten
  if (!opened.ok) {
    logger.error({ code: opened.code }, `sessions: ${opened.message}`)
    return undefined
  }
  const sessions = opened.value
  sessions.follow()
  void sessions.refresh().then((read) => {
    if (!read.ok) logger.warn({ code: read.code }, `sessions: ${read.message}`)
  })
  return sessions
}
