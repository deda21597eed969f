import { readClaims } from '@panoptes/engine/markers'
import type { Account, AgentAccount, Claim, Message } from '@panoptes/schema'
import { answers, calls, recordsOf, says } from '../tool-calls/messages.test-kit.ts'
import { checkClaims } from './check.ts'
import type { Looking } from './file-lookup.ts'

export const NOWHERE: Looking = { file: async () => undefined, journal: async () => undefined }
export const START = Date.UTC(2026, 10, 16, 12)

const agentOf = (agent_id: string, tool_stats: Record<string, number>): AgentAccount => ({
  source: 'claude-code',
  session_id: 's',
  agent_id,
  parent_id: null,
  subagent_type: null,
  description: null,
  project: null,
  model: 'opus',
  started_at: null,
  last_at: null,
  finished: false,
  outcome: null,
  stubs: null,
  tool_use_count: 0,
  tool_stats,
  errors: 0,
  duration_ms: null,
  status: null,
  said_at: null,
  flags: [],
  tokens_in: null,
  tokens_out: null,
  cache_read: null,
  cache_write: null,
  cost_micro_usd: null,
  cost_unknown: 0,
})

/** The account of a session with these messages, before its claims are checked. */
function accountOf(messages: readonly Message[]): Account {
  const claims: Claim[] = []
  const agents = new Map<string, Record<string, number>>()
  for (const [n, { agent_id, role, content, ts }] of messages.entries()) {
    const tools = agents.get(agent_id) ?? {}
    agents.set(agent_id, tools)
    for (const block of content) {
      if (block.type === 'tool_call') tools[block.tool] = (tools[block.tool] ?? 0) + 1
      if (block.type !== 'text' || role !== 'assistant') continue
      for (const [place, { value, evidence_tier, pointer }] of readClaims(block.text).entries())
        claims.push({
          source: 'claude-code',
          session_id: 's',
          agent_id,
          project: null,
          model: 'opus',
          message_id: `m${n}`,
          n,
          place,
          ts: ts ?? START,
          value,
          evidence_tier,
          pointer,
          check: { verdict: 'open', says: '', evidence: null },
          estimate: null,
        })
    }
  }
  return {
    source: 'claude-code',
    session_id: 's',
    fingerprint: 'f',
    from: 'session',
    title: null,
    project: null,
    last_at: null,
    agents: [...agents].map(([id, tools]) => agentOf(id, tools)),
    claims,
    skills: [],
    cells: [],
  }
}

export async function checked(
  messages: readonly Message[],
  { looking = NOWHERE, cwd = null }: { readonly looking?: Looking; readonly cwd?: string | null } = {},
): Promise<readonly Claim[]> {
  const account = accountOf(messages)
  const { claims } = await checkClaims({ account, reread: () => recordsOf(messages, cwd), looking })
  return claims
}

export async function checkedOne(...args: Parameters<typeof checked>): Promise<Claim> {
  const [claim] = await checked(...args)
  if (claim === undefined) throw new Error('no claim')
  return claim
}

/** A command that was run as the call `toolu_1`. */
export const ran = (
  text: string,
  ok: boolean | null = true,
  command = 'npm run build',
): readonly Message[] => [calls('toolu_1', 'Bash', { command }), answers('toolu_1', text, ok)]

export const verdictOf = async (messages: readonly Message[], claim: string) => {
  const { check } = await checkedOne([...messages, says(claim)])
  return [check.verdict, check.says]
}
