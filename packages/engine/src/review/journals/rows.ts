import { hash } from 'node:crypto'
import type { AgentAccount, Claim } from '@panoptes/schema'

const SECOND_MS = 1_000
const MICRO = 1_000_000

/** A line of `agent-toolstats.jsonl`: seconds, dollars, and null for what is not known. */
export function agentRow(agent: AgentAccount): string {
  const { last_at: at, cost_micro_usd: cost } = agent
  return JSON.stringify({
    agent_id: agent.agent_id,
    outcome: agent.outcome,
    stubs: agent.stubs,
    ts: at === null ? null : Math.floor(at / SECOND_MS),
    tool_use_count: agent.tool_use_count,
    duration_ms: agent.duration_ms,
    tool_stats: agent.tool_stats,
    tokens_in: agent.tokens_in,
    tokens_out: agent.tokens_out,
    cache_read: agent.cache_read,
    cache_write: agent.cache_write,
    model: agent.model,
    // A sum that lacks something is no price.
    cost_usd: cost === null || agent.cost_unknown > 0 ? null : cost / MICRO,
    parent_id: agent.parent_id,
    session_id: agent.session_id,
    source: agent.source,
  })
}

/** A line of `numeric-claims.jsonl`. */
export const claimRow = ({ value, evidence_tier, pointer, ts, session_id }: Claim): string =>
  JSON.stringify({
    kind: 'claim',
    value,
    evidence_tier,
    pointer,
    ts: Math.floor(ts / SECOND_MS),
    session_id,
  })

/** Whose line of the journal of agents this is; nothing for what somebody else wrote. */
export function agentOfRow(
  line: string,
): { source: string; session_id: string; agent_id: string } | undefined {
  const { source, session_id, agent_id } = fieldsOf(line)
  if (typeof source !== 'string' || typeof session_id !== 'string' || typeof agent_id !== 'string')
    return undefined
  return { source, session_id, agent_id }
}

/** The session that a line of the journal of claims is of, and what it says. */
export function claimOfRow(line: string): { session_id: string; says: string } | undefined {
  const { kind, session_id, value, evidence_tier, pointer } = fieldsOf(line)
  if (kind !== 'claim' || typeof session_id !== 'string') return undefined
  return { session_id, says: says(value, evidence_tier, pointer) }
}

/**
 * What a claim says, without when and by whom: a hook and a transcript tell the same claim with a little another time, and only one of
 * them names its message.
 */
export const claimSays = ({ value, evidence_tier, pointer }: Claim): string =>
  says(value, evidence_tier, pointer)

const says = (...parts: readonly unknown[]): string => digest(JSON.stringify(parts))

export const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22)

function fieldsOf(line: string): Readonly<Record<string, unknown>> {
  try {
    const row: unknown = JSON.parse(line)
    return typeof row === 'object' && row !== null ? (row as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
