import type { Agent } from '@panoptes/schema'
import { isAlive } from '@panoptes/schema/reading'
import { isMain } from './names.ts'

/** How long an ended agent stays in sight before it fades; a failure stays for longer than a success. */
const DONE_MS = 5_000
const FAILED_MS = 60_000
const MAIN_MS = 60_000
/** Whoever is asked for by how it ended stays for longer. */
const ASKED_MS = 600_000
export const FADE_MS = 800

export const endedAt = (agent: Agent): number => agent.ended_at ?? agent.last_at

const goneAt = (agent: Agent): number => {
  const stays = isMain(agent) ? MAIN_MS : agent.state === 'failed' ? FAILED_MS : DONE_MS
  return endedAt(agent) + stays
}

/** Whether an agent is still in sight at a moment; `asked` is the state that is asked for. */
export const isShown = (agent: Agent, now: number, asked?: Agent['state']): boolean =>
  isAlive(agent.state) || now < goneAt(agent) || (asked === agent.state && endedLately(agent, now))

/** Whether an ended agent can still be asked for by how it ended. */
export const endedLately = (agent: Agent, now: number): boolean => now < endedAt(agent) + ASKED_MS

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
