import type { Agent } from '@panoptes/schema'
import { toAgentKey } from '../data/agent-key.ts'
import { waitingSince } from '../model/agent-activity.ts'
import { endTime } from '../model/visibility.ts'
import { alertSettings } from './settings.ts'

export type CauseKind = 'waiting' | 'stuck' | 'failed'

/** Why a notification is sent. The id stays the same as long as the cause does. */
export interface Cause {
  readonly id: string
  readonly kind: CauseKind
  readonly agent: Agent
}

const WAITS_MS = 10_000
/** Failures from before the page was opened are not announced. */
const FRESH_MS = 60_000

/** The causes to announce at this moment, and when to check again. */
export function findCauses(
  agents: readonly Agent[],
  now: number,
): { readonly causes: readonly Cause[]; readonly next: number | null } {
  const causes: Cause[] = []
  let next: number | null = null
  for (const agent of agents) {
    const { state } = agent
    if (state === 'waiting') {
      const due = waitingSince(agent) + WAITS_MS
      if (due <= now) causes.push(cause('waiting', agent, waitingSince(agent)))
      else next = next === null ? due : Math.min(next, due)
    } else if (state === 'stuck') causes.push(cause('stuck', agent, agent.last_at))
    else if (state === 'failed' && now - endTime(agent) < FRESH_MS)
      causes.push(cause('failed', agent, endTime(agent)))
  }
  return { causes, next }
}

const cause = (kind: CauseKind, agent: Agent, since: number): Cause => ({
  id: `${kind} ${toAgentKey(agent)} ${since}`,
  kind,
  agent,
})

/** Whether a moment is within the quiet hours, such as 22:00, which may span midnight. */
export function isQuiet(from: string, to: string, now: Date): boolean {
  const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3, 5))
  const at = now.getHours() * 60 + now.getMinutes()
  const [start, end] = [minutes(from), minutes(to)]
  if (Number.isNaN(start) || Number.isNaN(end) || start === end) return false
  return start < end ? at >= start && at < end : at >= start || at < end
}

/** Whether the person turned notifications on and the browser permits them. */
export function canNotify(): boolean {
  const { on, quiet, from, to } = alertSettings.get()
  if (!on || typeof Notification === 'undefined' || Notification.permission !== 'granted') return false
  return !quiet || !isQuiet(from, to, new Date())
}
