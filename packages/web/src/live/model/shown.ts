import type { Agent } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import { isMain } from './names.ts'

/** How long an ended agent stays in sight before it fades; a failure stays for longer than a success. */
const DONE_MS = 5_000
const FAILED_MS = 60_000
const MAIN_MS = 60_000
export const FADE_MS = 800

export const endedAt = (agent: Agent): number => agent.ended_at ?? agent.last_at

const goneAt = (agent: Agent): number => {
  const stays = isMain(agent) ? MAIN_MS : agent.state === 'failed' ? FAILED_MS : DONE_MS
  return endedAt(agent) + stays
}

/** Whether an agent is still in sight at a moment. */
export const isShown = (agent: Agent, now: number): boolean => isAlive(agent.state) || now < goneAt(agent)

/** When the next ended agent goes out of sight; null where none is about to. */
export function nextGone(agents: readonly Agent[], now: number): number | null {
  let next: number | null = null
  for (const agent of agents) {
    if (isAlive(agent.state)) continue
    const at = goneAt(agent)
    if (at > now && (next === null || at < next)) next = at
  }
  return next
}
