import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type EventStore, openSqliteStore } from '@panoptes/engine/store'
import type { Account, AgentAccount, Claim, Result } from '@panoptes/schema'
import { onTestFinished } from 'vitest'

export const NOON = Date.UTC(2026, 8, 15, 12)

export function tempFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'panoptes-review-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  return folder
}

export function value<T>(result: Result<T>): T {
  if (!result.ok) throw new Error(result.message)
  return result.value
}

export async function openStore(file: string): Promise<EventStore> {
  const store = value(await openSqliteStore(file))
  onTestFinished(() => store.close())
  return store
}

/** The lines of a file; empty if it does not exist. */
export function linesIn(file: string): readonly string[] {
  try {
    return readFileSync(file, 'utf8').split('\n').slice(0, -1)
  } catch {
    return []
  }
}

export const agentOf = (id: string, more: Partial<AgentAccount> = {}): AgentAccount => ({
  source: 'codex',
  session_id: 's',
  agent_id: id,
  parent_id: null,
  subagent_type: null,
  description: null,
  project: 'notes',
  model: 'opus',
  started_at: NOON - 1_000,
  last_at: NOON,
  finished: true,
  outcome: null,
  stubs: null,
  tool_use_count: 0,
  tool_stats: {},
  errors: 0,
  duration_ms: 1_000,
  status: null,
  said_at: null,
  flags: [],
  tokens_in: 1,
  tokens_out: 2,
  cache_read: null,
  cache_write: null,
  cost_micro_usd: 2_500,
  cost_unknown: 0,
  ...more,
})

export const claimOf = (value: string, more: Partial<Claim> = {}): Claim => ({
  source: 'codex',
  session_id: 's',
  agent_id: 'main',
  project: 'notes',
  model: 'opus',
  message_id: 'm',
  n: 1,
  place: 0,
  ts: NOON,
  value,
  evidence_tier: 'REAL',
  pointer: 'wc -l',
  check: { verdict: 'open', says: '', evidence: null },
  estimate: null,
  ...more,
})

/** An account of this session with these values. */
export function accountOf(id: string, more: Partial<Account> = {}): Account {
  const of = { source: more.source ?? 'codex', session_id: id }
  return {
    fingerprint: '{"rules":1,"zone":"UTC","of":"1","prices":{}}',
    from: 'session',
    title: null,
    project: 'notes',
    last_at: NOON,
    skills: [],
    cells: [],
    ...more,
    ...of,
    agents: (more.agents ?? []).map((agent) => ({ ...agent, ...of })),
    claims: (more.claims ?? []).map((claim) => ({ ...claim, ...of })),
  }
}
