import type { Agent } from '@panoptes/schema'
import { keyOf } from '../data/key.ts'
import { sinceOf } from '../model/needs-you.ts'
import { endedAt } from '../model/shown.ts'

export type CauseKind = 'waiting' | 'stuck' | 'failed'

/** Why someone is told of an agent. The id is the same for as long as the cause is. */
export interface Cause {
  readonly id: string
  readonly kind: CauseKind
  readonly agent: Agent
}

const WAITS_MS = 10_000
/** A failure from before the page was opened is no news. */
const FRESH_MS = 60_000

/** Everything someone should be told of at this moment, and when to look again. */
export function causesOf(
  agents: readonly Agent[],
  now: number,
): { readonly causes: readonly Cause[]; readonly next: number | null } {
  const causes: Cause[] = []
  let next: number | null = null
  for (const agent of agents) {
    const { state } = agent
    if (state === 'waiting') {
      const due = sinceOf(agent) + WAITS_MS
      if (due <= now) causes.push(cause('waiting', agent, sinceOf(agent)))
      else next = next === null ? due : Math.min(next, due)
    } else if (state === 'stuck') causes.push(cause('stuck', agent, agent.last_at))
    else if (state === 'failed' && now - endedAt(agent) < FRESH_MS)
      causes.push(cause('failed', agent, endedAt(agent)))
  }
  return { causes, next }
}

const cause = (kind: CauseKind, agent: Agent, since: number): Cause => ({
  id: `${kind} ${keyOf(agent)} ${since}`,
  kind,
  agent,
})

/** Whether a moment lies in the quiet hours; they may go over midnight. Hours like 22:00. */
export function isQuiet(from: string, to: string, now: Date): boolean {
  const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))
  const at = now.getHours() * 60 + now.getMinutes()
  const [start, end] = [minutes(from), minutes(to)]
  if (Number.isNaN(start) || Number.isNaN(end) || start === end) return false
  return start < end ? at >= start && at < end : at >= start || at < end
}
