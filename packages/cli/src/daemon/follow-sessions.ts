import type { Paths } from '@panoptes/engine/home'
import { createSkillNames } from '@panoptes/engine/outcomes'
import { openSessions, type Sessions } from '@panoptes/engine/sessions'
import type { ReadSessions } from '@panoptes/engine/sources'
import type { EventStore } from '@panoptes/engine/store'
import type { Config, Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { refreshShared } from './bring-sessions.ts'
import type { Log } from './log.ts'
import { CLOCK_MARK, parseClock } from './retention-clock.ts'
import type { Home } from './start-options.ts'

/** Collects the session settings of a home: the location of the history, the prices and the retention. */
export const sessionSettings = (paths: Paths, { archive, prices, retention }: Config) => ({
  file: paths.history,
  originals: paths.originals,
  former: paths.formerIndex,
  archive,
  catalogue: paths.prices,
  prices,
  maxAgeDays: retention.sessions_max_age_days,
})

/** Returns the names of skills on this computer, which slash commands of sessions may refer to. */
export const createSkillReader = (
  { env, config, place }: Pick<Home, 'env' | 'config' | 'place'>,
  store?: EventStore,
) => createSkillNames({ store, env, config, isShared: place?.kind === 'postgres' })

/** Sessions for a module that only deletes. */
export const NO_SESSIONS: ReadSessions = {
  refresh: async () => success(null),
  onRead: () => () => undefined,
}

type OpenedSessions = ReadSessions & Pick<Sessions, 'close'>

/** Opens past sessions for a command that works without a daemon. */
export async function openReadSessions(home: Home, store: EventStore): Promise<Result<OpenedSessions>> {
  const opened = await open(home, store)
  if (!opened.ok) return opened
  const sessions = opened.value
  const refresh: ReadSessions['refresh'] = (signal, onProgress) =>
    home.place?.kind === 'postgres' ? refreshShared(sessions, store) : sessions.refresh(signal, onProgress)
  return success({ refresh, onRead: sessions.onRead, close: sessions.close })
}

/** Opens past sessions. If this fails, the rest of Panoptes still works. */
export async function openSessionsOf(
  home: Home,
  store: EventStore,
  { logger }: Log,
): Promise<Sessions | undefined> {
  const opened = await open(home, store)
  if (opened.ok) return opened.value
  logger.error({ code: opened.code }, `sessions: ${opened.message}`)
  return undefined
}

/** Returns the time that retention trusts. Until retention looked at the clock for the first time, it is unknown. */
export async function readAgingTime(store: Pick<EventStore, 'marks'>): Promise<number | null> {
  const marks = await store.marks([CLOCK_MARK])
  return (marks.ok ? parseClock(marks.value[CLOCK_MARK])?.believed : undefined) ?? null
}

async function open(home: Home, store: EventStore): Promise<Result<Sessions>> {
  const { paths, env, config, place } = home
  const forgotten = await store.forgetting.forgotten()
  if (!forgotten.ok) return forgotten
  const skills = createSkillReader(home, store)
  return openSessions({
    ...sessionSettings(paths, config),
    env,
    place,
    skills,
    now: () => readAgingTime(store),
    marked: store.annotations,
    forgotten: forgotten.value,
  })
}
