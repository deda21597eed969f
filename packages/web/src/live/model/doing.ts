import type { Agent } from '@panoptes/schema'
import { words } from '../../words.ts'

const w = words.live

const short = (text: string): string => text.slice(0, 160).replaceAll(/\s+/g, ' ').trim()

/** What an agent does now, in one line. */
export function doingNow(agent: Agent, children: number): string {
  if (agent.state === 'waiting') return agent.wait_reason ?? w.states.waiting
  if (agent.state === 'failed') return words.unknown
  if (agent.state === 'done') return words.unknown
  if (agent.doing === null && agent.state === 'stuck') return w.silent
  if (agent.doing) return short(`${agent.doing.tool} ${agent.doing.preview ?? ''}`)
  return children > 0 ? w.panel.runs(children) : w.panel.thinking
}

export const callsOf = (agent: Agent): number =>
  Object.values(agent.tool_counts).reduce((sum, calls) => sum + calls, 0)

/** Tokens that went in, however they were paid for; null until a source tells. */
export const tokensIn = (agent: Agent): number | null =>
  agent.usage === null ? null : agent.usage.input + agent.usage.cache_read + agent.usage.cache_write

export const moneyOf = (agent: Agent): number | null => {
  const { usage } = agent
  if (usage === null || (usage.cost_micro_usd === 0 && usage.cost_unknown > 0)) return null
  return usage.cost_micro_usd / 1_000_000
}
