import {
  type Achievements,
  openAchievements,
  originOf,
  placeOfAchievements,
} from '@panoptes/engine/achievements'
import type { Ledger } from '@panoptes/engine/ledger'
import type { Forgetter } from '@panoptes/engine/sessions'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Log } from './log.ts'
import type { Home } from './start.ts'

/** What all sessions amount to, as the home says by whose clock. */
export async function achievementsOf(
  { paths, env, config, place }: Home,
  { achieved, forgetting }: Ledger,
): Promise<Result<Achievements>> {
  const forgotten = await forgetting.forgotten()
  if (!forgotten.ok) return forgotten
  const folder = placeOfAchievements({ paths, config, env })
  if (!folder.ok) return folder
  const origin = await originOf(achieved, env, config.achievements.time_zone ?? undefined)
  if (!origin.ok) return origin
  // A hub counts what is stored there, whichever home of Hermes it is of.
  const otherHome = place?.kind === 'postgres' ? undefined : origin.value.otherHome
  // The files in our own home are of one home of Hermes; in Hermes' layout each has its own.
  const isElsewhere = otherHome !== undefined && config.layout !== 'hermes'
  return success(
    openAchievements({
      achieved,
      forgotten: forgotten.value,
      folder: isElsewhere ? undefined : folder.value,
      env,
      place,
      ...origin.value,
      otherHome,
    }),
  )
}

/** The same for a daemon. Without them Panoptes still does everything else. */
export async function openAchievementsOf(
  home: Home,
  ledger: Ledger,
  { logger }: Log,
): Promise<Achievements | undefined> {
  const opened = await achievementsOf(home, ledger)
  if (opened.ok) return opened.value
  logger.error({ code: opened.code }, `achievements: ${opened.message}`)
  return undefined
}

/** Titles and evidence go; the numbers stay, and nobody can tell whose they are. */
export const achievementsForgetter =
  (achievements: Achievements): Forgetter =>
  async (sessions) => {
    const done = await achievements.forget(sessions)
    return done.ok ? success([{ from: 'achievements', what: 'evidence', count: done.value }]) : done
  }
