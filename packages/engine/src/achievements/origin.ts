import { resolve } from 'node:path'
import type { Achieved } from '@panoptes/engine/ledger'
import { hermesHome } from '@panoptes/engine/sources'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { ownZone, zoneName } from './calendar.ts'

/** What counting goes by, as it was written down when it was first counted. */
export interface Origin {
  /** By whose clock a weekend and a night are told. */
  readonly zone: string
  /** Hermes' home, where it is another one than that which was counted first: what is of it is kept apart. */
  readonly otherHome: string | undefined
  /** Since when views count that were reset, in milliseconds, by the name of the view. */
  readonly since: ReadonlyMap<string, string>
}

const ZONE = 'time_zone'
const HOME = 'hermes_home'
const SINCE = 'since '

export const sinceNote = (view: string): string => `${SINCE}${view}`

/**
 * A computer that travels, or a container, has another clock: what was a night once stays one, so the zone of the first count is kept until
 * somebody says another. The home is kept for the same reason: sessions of two homes do not mix.
 */
export async function originOf(
  achieved: Achieved,
  env: Readonly<Record<string, string | undefined>>,
  configured: string | undefined,
): Promise<Result<Origin>> {
  const read = await achieved.notes()
  if (!read.ok) return read
  const notes = new Map(read.value)
  const home = resolve(hermesHome(env))
  for (const [name, value] of [
    [HOME, home],
    [ZONE, configured ?? ownZone()],
  ] as const) {
    if (notes.has(name)) continue
    const noted = await achieved.note(name, value)
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
