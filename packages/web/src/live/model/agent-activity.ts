import type { Agent } from '@panoptes/schema'
import { words } from '../../words.ts'

const w = words.live

const shortenLine = (text: string): string => text.slice(0, 160).replaceAll(/\s+/g, ' ').trim()

/** Describes in one line what an agent is doing. */
export function describeActivity(agent: Agent, children: number): string {
  if (agent.state === 'waiting') return agent.wait_reason ?? w.states.waiting
  if (agent.state === 'failed') return words.unknown
  if (agent.state === 'done') return words.unknown
  if (agent.doing === null && agent.state === 'stuck') return w.silent
  if (agent.doing) return shortenLine(`${agent.doing.tool} ${agent.doing.preview ?? ''}`)
  return children > 0 ? w.panel.runs(children) : w.panel.thinking
}

export const countCalls = (agent: Agent): number =>
  Object.values(agent.tool_counts).reduce((sum, calls) => sum + calls, 0)

/** Input tokens, cached or not; null until a source reports them. */
export const countInputTokens = ({ usage }: Agent): number | null =>
  usage === null || !hasTokens(usage) ? null : usage.input + usage.cache_read + usage.cache_write

export const countOutputTokens = ({ usage }: Agent): number | null =>
  usage === null || !hasTokens(usage) ? null : usage.output

/** A source may report the cost of a reply without its tokens, since no reply takes zero tokens. */
const hasTokens = ({ input, output, cache_read, cache_write }: NonNullable<Agent['usage']>): boolean =>
  input + output + cache_read + cache_write > 0

export const agentCost = (agent: Agent): number | null => {
  const { usage } = agent
  if (usage === null || (usage.cost_micro_usd === 0 && usage.cost_unknown > 0)) return null
  return usage.cost_micro_usd / 1_000_000
}

/** When an agent started waiting or went silent. */
export const waitingSince = (agent: Agent): number =>
  (agent.state === 'stuck' ? agent.doing?.since : agent.wait_since) ?? agent.last_at

/** Waiting agents come first, then stuck ones; the longest first. */
export function findWaitingAgents(agents: readonly Agent[]): readonly Agent[] {
  return agents
    .filter((agent) => agent.state === 'waiting' || agent.state === 'stuck')
    .sort((a, b) => rank(a) - rank(b) || waitingSince(a) - waitingSince(b) || (a.id < b.id ? -1 : 1))
}

const rank = (agent: Agent): number => (agent.state === 'waiting' ? 0 : 1)
