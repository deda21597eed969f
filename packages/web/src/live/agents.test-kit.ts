import type { Agent, SessionSummary } from '@panoptes/schema'
import { EMPTY_SCENE, type Scene } from './data/source.ts'

export const NOW = Date.UTC(2026, 9, 1, 12)

/** A working agent. */
export const agent = (change: Partial<Agent> = {}): Agent => ({
  id: 'a1',
  parent_id: 'main',
  session_id: 's1',
  source: 'claude-code',
  subagent_type: null,
  model: 'claude-sonnet-5',
  state: 'working',
  outcome: null,
  tool_counts: {},
  errors: 0,
  started_at: NOW - 60_000,
  last_at: NOW - 1_000,
  ended_at: null,
  prompt_preview: null,
  wait_reason: null,
  background: false,
  tool_use_id: null,
  doing: null,
  usage: null,
  ...change,
})

export const main = (change: Partial<Agent> = {}): Agent =>
  agent({ id: 'main', parent_id: null, started_at: NOW - 120_000, ...change })

export const session = (change: Partial<SessionSummary> = {}): SessionSummary => ({
  source: 'claude-code',
  session_id: 's1',
  project: 'atlas-api',
  cwd: null,
  title: 'Split billing',
  started_at: NOW - 120_000,
  last_at: NOW,
  ended_at: null,
  events: 3,
  ...change,
})

export const scene = (agents: readonly Agent[], change: Partial<Scene> = {}): Scene => ({
  ...EMPTY_SCENE,
  agents,
  ...change,
})
