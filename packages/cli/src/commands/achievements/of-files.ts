import type { Achievements, View } from '@panoptes/engine/achievements'
import type { Context } from '../../context.ts'
import { openStore } from '../../daemon/access.ts'
import { bringSessions } from '../../daemon/bring-sessions.ts'
import { stopped } from '../../daemon/client.ts'
import { achievementsOf } from '../../daemon/follow-achievements.ts'
import { placeOf } from '../../daemon/place.ts'
import { orFail } from '../../failure.ts'
import { loadConfig, orMisplaced } from '../config.ts'
import type { AchievementsAccess, Counting, Wanted } from './access.ts'

/** Counts achievements in this process, which has exclusive access to the store. */
export async function withFiles<T>(
  context: Context,
  work: (achievements: AchievementsAccess) => Promise<T>,
): Promise<T> {
  const { paths, env } = context
  const loaded = await loadConfig(context)
  orMisplaced(context, loaded)
  const { config } = loaded
  const place = placeOf(context, config)
  const store = await openStore(context, place)
  try {
    await bringSessions(place, context)
    const achievements = orFail(await achievementsOf({ paths, env, config, place }, store))
    try {
      return await work(ofFiles(achievements))
    } finally {
      await achievements.close()
    }
  } finally {
    await store.close()
  }
}

const LOOK_MS = 100

const ofFiles = (achievements: Achievements): AchievementsAccess => ({
  count: async (wanted, counting) => {
    const view = viewOf(wanted)
    await ended(achievements, view, counting)
    const reply = orFail(await achievements.get(view, { wait: true }))
    const aggregate = orFail(await achievements.aggregate(view))
    return { ...reply, aggregate }
  },
  reset: async (wanted) => orFail(await achievements.reset(viewOf(wanted))),
})

const viewOf = ({ source, hermesDb, tz }: Wanted): View => ({ source, hermesDb, zone: tz })

async function ended(
  achievements: Achievements,
  view: View,
  { full, onProgress, signal }: Counting,
): Promise<void> {
  achievements.rescan(view, { full })
  const looking = setInterval(() => {
    const { progress } = achievements.status(view)
    if (progress) onProgress(progress.done, progress.total)
  }, LOOK_MS)
  const stop = Promise.withResolvers<never>()
  const abort = () => stop.reject(stopped())
  signal.addEventListener('abort', abort)
  try {
    if (signal.aborted) abort()
    await Promise.race([achievements.settled(view), stop.promise])
  } finally {
    clearInterval(looking)
    signal.removeEventListener('abort', abort)
  }
}
