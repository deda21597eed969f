import {
  type Achievements,
  openAchievements,
  placeOfAchievements,
  resolveOrigin,
} from '@panoptes/engine/achievements'
import type { Forgetter } from '@panoptes/engine/sessions'
import type { ReadSessions } from '@panoptes/engine/sources'
import type { EventStore } from '@panoptes/engine/store'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Log } from './log.ts'
import type { Home } from './start-options.ts'

/** Opens the achievements of a home with its configured time zone. */
export async function achievementsOf(
  { paths, env, config, place }: Home,
  { achievementStore, forgetting }: EventStore,
  sessions: ReadSessions,
): Promise<Result<Achievements>> {
  const forgotten = await forgetting.forgotten()
  if (!forgotten.ok) return forgotten
  const folder = placeOfAchievements({ paths, config, env })
  if (!folder.ok) return folder
  const origin = await resolveOrigin(achievementStore, env, config.achievements.time_zone ?? undefined)
  if (!origin.ok) return origin
  // A hub counts the sessions stored in its database, whichever Hermes home they come from.
  const otherHome = place?.kind === 'postgres' ? undefined : origin.value.otherHome
  // Files in the Panoptes home belong to one Hermes home. In the Hermes layout each Hermes home has its own
  // files.
  const isElsewhere = otherHome !== undefined && config.layout !== 'hermes'
  return success(
    openAchievements({
      achievementStore,
      sessions,
      forgotten: forgotten.value,
      folder: isElsewhere ? undefined : folder.value,
      env,
      place,
      history: place?.kind === 'postgres' ? undefined : paths.history,
      ...origin.value,
      otherHome,
    }),
  )
}

/** Opens the achievements for a daemon. If this fails, the rest of Panoptes still works. */
export async function openAchievementsOf(
  home: Home,
  store: EventStore,
  sessions: ReadSessions,
  { logger }: Log,
): Promise<Achievements | undefined> {
  const opened = await achievementsOf(home, store, sessions)
  if (opened.ok) return opened.value
  logger.error({ code: opened.code }, `achievements: ${opened.message}`)
  return undefined
}

/** Removes titles and evidence. The numbers stay, because nobody can trace them to a session. */
export const achievementsForgetter =
  (achievements: Achievements): Forgetter =>
  async (sessions) => {
    const done = await achievements.forget(sessions)
    return done.ok ? success([{ from: 'achievements', what: 'evidence', count: done.value }]) : done
  }
