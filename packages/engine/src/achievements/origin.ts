import { resolve } from 'node:path'
import { hermesHome } from '@panoptes/engine/sources'
import type { AchievementStore } from '@panoptes/engine/store'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { ownZone, zoneName } from './calendar.ts'

/** The fixed parameters of counting, stored with the first count. */
export interface Origin {
  /** Time zone for weekends and nights. */
  readonly zone: string
  /** The home of Hermes if it differs from the first one; its sessions are counted separately. */
  readonly otherHome: string | undefined
  /** Since when reset views count, in milliseconds, by view. */
  readonly since: ReadonlyMap<string, string>
}

const ZONE = 'time_zone'
const HOME = 'hermes_home'
const SINCE = 'since '

export const sinceNote = (view: string): string => `${SINCE}${view}`

/**
 * A travelling computer or a container may change its time zone, but what was a night stays one. So
 * the time zone of the first count is kept until another is configured. The home is kept for the
 * same reason: sessions of two homes must not mix.
 */
export async function resolveOrigin(
  achievementStore: AchievementStore,
  env: Readonly<Record<string, string | undefined>>,
  configured: string | undefined,
): Promise<Result<Origin>> {
  const read = await achievementStore.notes()
  if (!read.ok) return read
  const notes = new Map(read.value)
  const home = resolve(hermesHome(env))
  for (const [name, value] of [
    [HOME, home],
    [ZONE, configured ?? ownZone()],
  ] as const) {
    if (notes.has(name)) continue
    const noted = await achievementStore.note(name, value)
    if (!noted.ok) return noted
    notes.set(name, value)
  }
  const since = [...notes].flatMap(([name, at]) =>
    name.startsWith(SINCE) ? [[name.slice(SINCE.length), at] as const] : [],
  )
  return success({
    zone: zoneName(configured ?? notes.get(ZONE) ?? ownZone()),
    otherHome: notes.get(HOME) === home ? undefined : home,
    since: new Map(since),
  })
}
