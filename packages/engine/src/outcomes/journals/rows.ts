import { hash } from 'node:crypto'
import type { AgentAccount, Claim } from '@panoptes/schema'
import { type Fields, toFields } from '@panoptes/schema/plain-object'

const SECOND_MS = 1_000
const MICRO = 1_000_000

/**
 * Formats a line of `agent-toolstats.jsonl`: in seconds and dollars, with null for unknown values.
 */
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
    // An incomplete sum is not a price.
    cost_usd: cost === null || agent.cost_unknown > 0 ? null : cost / MICRO,
    parent_id: agent.parent_id,
    session_id: agent.session_id,
    source: agent.source,
  })
}

/** Formats a line of `numeric-claims.jsonl`. */
export const claimRow = ({ value, evidence_tier, pointer, ts, session_id }: Claim): string =>
  JSON.stringify({
    kind: 'claim',
    value,
    evidence_tier,
    pointer,
    ts: Math.floor(ts / SECOND_MS),
    session_id,
  })

/** Identifies the agent of a journal line; undefined for foreign lines. */
export function agentOfRow(
  line: string,
): { source: string; session_id: string; agent_id: string } | undefined {
  const { source, session_id, agent_id } = parseFields(line)
  if (typeof source !== 'string' || typeof session_id !== 'string' || typeof agent_id !== 'string')
    return undefined
  return { source, session_id, agent_id }
}

/** Identifies the session and content of a line in the claims journal. */
export function claimOfRow(line: string): { session_id: string; says: string } | undefined {
  const { kind, session_id, value, evidence_tier, pointer } = parseFields(line)
  if (kind !== 'claim' || typeof session_id !== 'string') return undefined
  return { session_id, says: says(value, evidence_tier, pointer) }
}

/**
 * The content of a claim without its time and agent. A hook and a transcript report the same claim
 * with slightly different times, and only one names the message.
 */
export const claimSays = ({ value, evidence_tier, pointer }: Claim): string =>
  says(value, evidence_tier, pointer)

const says = (...parts: readonly unknown[]): string => digest(JSON.stringify(parts))

export const digest = (text: string): string => hash('sha256', text, 'base64url').slice(0, 22)

function parseFields(line: string): Fields {
  try {
    return toFields(JSON.parse(line))
  } catch {
    return {}
  }
}
