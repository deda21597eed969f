import type { Agent } from '@panoptes/schema'
import { nameOf } from './silence.ts'

interface Sign {
  readonly stamp: number
  readonly work: string
  readonly isStuck: boolean
  /** When it counts as given. */
  readonly at: number
}

/** What grows as an agent works, whatever its clock says. What is said of its silence changes nothing of it. */
export const workOf = ({ tool_counts, errors, usage, doing, wait_since }: Agent): string =>
  JSON.stringify([tool_counts, errors, usage?.input, usage?.output, doing?.tool, doing?.since, wait_since])

/**
 * Agents with the time of their last sign as it can be: a sign that is stamped later than now was given no later than when it was
 * first seen here. Otherwise whoever's clock runs ahead would be at work until it is caught up with. Where signs come from other
 * computers, whose clocks may be behind, or which may have had to wait, every sign that comes is given when it is first seen.
 * The last stamp is the latest there was, so whoever works on under an earlier one gives a sign as well.
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
      const work = workOf(agent)
      const isStuck = agent.state === 'stuck'
      const isSame = known?.stamp === stamp && known.work === work && (isStuck || !known.isStuck)
      const sign = { stamp, work, isStuck, at: isSame ? known.at : isSeen ? now : stamp }
      still.set(name, sign)
      return sign.at === stamp ? agent : { ...agent, last_at: sign.at }
    })
  }
}
