import type { Agent } from '@panoptes/schema'
import { nameOf } from './silence.ts'

interface Sign {
  readonly stamp: number
  /** When it counts as given. */
  readonly at: number
}

/**
 * Agents with the time of their last sign as it can be: a sign that is stamped later than now was given no later than when it was
 * first seen here. Otherwise whoever's clock runs ahead would be at work until it is caught up with. Where signs come from other
 * computers, whose clocks may be behind, or which may have had to wait, every sign that comes is given when it is first seen.
 */
export function createHeard(
  fromElsewhere = false,
): (alive: readonly Agent[], now: number) => readonly Agent[] {
  let signs: ReadonlyMap<string, Sign> | undefined
  return (alive, now) => {
    const before = signs
    const still = new Map<string, Sign>()
    signs = still
    return alive.map((agent) => {
      const name = nameOf(agent)
      const { last_at: stamp } = agent
      const known = before?.get(name)
      // Of what was there before anybody looked nothing is known but its stamp.
      const isSeen = stamp > now || (fromElsewhere && before !== undefined)
      const sign = known?.stamp === stamp ? known : { stamp, at: isSeen ? now : stamp }
      still.set(name, sign)
      return sign.at === stamp ? agent : { ...agent, last_at: sign.at }
    })
  }
}
