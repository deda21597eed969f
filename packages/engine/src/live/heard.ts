import type { Agent } from '@panoptes/schema'
import { nameOf } from './silence.ts'

/**
 * Agents with the time of their last sign as it can be: a sign that is stamped later than now was given no later than when it was
 * first seen here. Otherwise whoever's clock runs ahead would be at work until it is caught up with.
 */
export function createHeard(): (alive: readonly Agent[], now: number) => readonly Agent[] {
  let ahead = new Map<string, { readonly stamp: number; readonly seen: number }>()
  return (alive, now) => {
    const still: typeof ahead = new Map()
    const agents = alive.map((agent) => {
      const name = nameOf(agent)
      const known = ahead.get(name)
      if (agent.last_at <= now && known?.stamp !== agent.last_at) return agent
      const sign = known?.stamp === agent.last_at ? known : { stamp: agent.last_at, seen: now }
      still.set(name, sign)
      return { ...agent, last_at: sign.seen }
    })
    ahead = still
    return agents
  }
}
