import type { Agent } from '@panoptes/schema'
import { countedState, isAlive } from '@panoptes/schema/reading'
import type { StateFilter } from './filter.ts'
import { isMain } from './names.ts'

/** How long an ended agent stays visible before it fades. A bad end stays longer than a success. */
const DONE_MS = 5_000
const FAILED_MS = 60_000
const MAIN_MS = 60_000
/** Agents that match a filter by outcome stay longer. */
const FILTERED_MS = 600_000
export const FADE_MS = 800

export const endTime = (agent: Agent): number => agent.ended_at ?? agent.last_at

const hideTime = (agent: Agent): number => {
  const isForced = agent.state === 'failed' || countedState(agent) === 'stopped'
  const stays = isMain(agent) ? MAIN_MS : isForced ? FAILED_MS : DONE_MS
  return visibleEnd(agent) + stays
}

/** A lost agent ended long before it was declared lost. */
export const visibleEnd = (agent: Agent): number => agent.lost_at ?? endTime(agent)

/** Whether an agent is still visible at a moment; `asked` is the filtered state. */
export const isShown = (agent: Agent, now: number, wantedState?: StateFilter): boolean =>
  isAlive(agent.state) ||
  now < hideTime(agent) ||
  (wantedState === countedState(agent) && isRecentlyEnded(agent, now))

/** Whether an ended agent can still match a filter by outcome. */
export const isRecentlyEnded = (agent: Agent, now: number): boolean => now < visibleEnd(agent) + FILTERED_MS

/** When the next ended agent disappears; null if none is about to. */
export function nextHideTime(agents: readonly Agent[], now: number): number | null {
  let next: number | null = null
  for (const agent of agents) {
    if (isAlive(agent.state)) continue
    const at = hideTime(agent)
    if (at > now && (next === null || at < next)) next = at
  }
  return next
}
