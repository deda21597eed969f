import type { Paths } from '@panoptes/engine/home'
import { openSessions, type Sessions } from '@panoptes/engine/sessions'
import type { EventStore } from '@panoptes/engine/store'
import type { Config } from '@panoptes/schema'
import type { Log } from './log.ts'
import type { Home } from './start-options.ts'

/** Collects the session settings of a home: the location of the history, the prices and the retention. */
export const keptBy = (paths: Paths, { archive, prices, retention }: Config) => ({
  file: paths.history,
  former: paths.formerIndex,
  archive,
  catalogue: paths.prices,
  prices,
  maxAgeDays: retention.sessions_max_age_days,
})

/** Opens past sessions. If this fails, the rest of Panoptes still works. */
export async function openSessionsOf(
  { paths, env, config, place }: Home,
  { annotations, forgetting }: EventStore,
  { logger }: Log,
): Promise<Sessions | undefined> {
  const forgotten = await forgetting.forgotten()
  const opened = forgotten.ok
    ? await openSessions({
        ...keptBy(paths, config),
        env,
        place,
        marked: annotations,
        forgotten: forgotten.value,
      })
    : forgotten
  if (opened.ok) return opened.value
  logger.error({ code: opened.code }, `sessions: ${opened.message}`)
  return undefined
}
