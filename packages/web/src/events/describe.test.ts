import type { StoredEvent } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { describe as describeEvent, eventGlyph } from './describe.ts'

const envelope = { v: 1 as const, key: 'k', seq: 1, ts: 1, source: 'custom', host: 'h', session_id: 's' }
const make = (event: string, fields: Record<string, unknown> = {}): StoredEvent => ({
  ...envelope,
  event,
  ...fields,
})

it.each<[string, Record<string, unknown>, string, string]>([
  ['tool_use', { tool: 'Read', input_preview: 'db/views.sql' }, 'Read db/views.sql', 'start'],
  ['tool_done', { tool: 'Edit', ok: true, duration_ms: 84 }, 'Edit · 84 ms', 'plain'],
  [
    'tool_done',
    { tool: 'Bash', ok: false, duration_ms: 52_100, error_preview: 'exit 1' },
    '✕ Bash · exit 1 · 52 s',
    'failed',
  ],
  [
    'usage',
    { model: 'claude-sonnet-4-5', input: 2_104, output: 318, cost_usd: 0.011 },
    'sonnet · 2,104 in · 318 out · $0.011',
    'plain',
  ],
  ['usage', { model: 'local-32b' }, 'local-32b · tokens unknown · cost unknown', 'plain'],
  ['usage', { model: 'x', input: 0, output: 0, cost_usd: 0 }, 'x · 0 in · 0 out · $0.00', 'plain'],
  ['agent_spawn', { subagent_type: 'Explore', prompt_preview: 'Find\nit' }, 'Explore · “Find it”', 'spawn'],
  [
    'agent_done',
    { outcome: 'functional', stubs: 0, duration_ms: 14_200 },
    'functional · 0 stubs · 14 s',
    'done',
  ],
  ['agent_done', { outcome: 'fail' }, '✕ fail', 'failed'],
  ['agent_done', { outcome: 'scaffolding', stubs: 1 }, 'scaffolding · 1 stub', 'partial'],
  ['agent_done', { outcome: 'stopped' }, 'stopped', 'stopped'],
  ['agent_done', {}, '', 'unknown'],
  ['agent_link', { parent_id: 'main' }, 'child of main', 'plain'],
  ['agent_wait', { reason: 'allow Bash?' }, 'allow Bash?', 'waiting'],
  ['agent_stuck', { silent_ms: 245_000, usual_ms: 41_000 }, 'silent for 4m 05s, usually 41 s', 'stuck'],
  ['agent_lost', { reason: 'nothing was heard of it' }, 'nothing was heard of it', 'lost'],
  ['skill_use', { skill: 'write-guide', success: true }, 'write-guide · worked', 'plain'],
  ['skill_use', { skill: 'write-guide', success: false }, '✕ write-guide · failed', 'failed'],
  ['claim', { tier: 'REAL', value: '62 % of time in fsync' }, 'REAL “62 % of time in fsync”', 'plain'],
  [
    'status',
    {
      shipped: 'partial',
      stubs: 2,
      verified: 'no',
      checks: [{ name: 'cargo-check', result: 'PASS' }],
      follow_ups: ['count hidden files'],
    },
    'partial · 2 stubs · cargo-check: PASS · verified: no · 1 follow-up',
    'partial',
  ],
  ['status', { shipped: 'functional', stubs: 0, follow_ups: [] }, 'functional · 0 stubs', 'done'],
  [
    'taken_back',
    { of: 'claim', claims: 2 },
    'claim · a nested agent repeated it, so it counts there',
    'plain',
  ],
  ['bypass', { claims: true }, 'claims are not recorded', 'plain'],
  [
    'budget',
    { budget: 'day', level: 'over', spent_usd: 12, limit_usd: 10 },
    'day is used up · $12.00 of $10.00',
    'failed',
  ],
  ['weather', { sky: 'blue' }, '{"sky":"blue"}', 'plain'],
  ['weather', {}, '', 'plain'],
])('describes a %s event with %j', (kind, fields, text, glyph) => {
  expect(describeEvent(make(kind, fields))).toBe(text)
  expect(eventGlyph(make(kind, fields))).toBe(glyph)
})

it('shortens a long preview to one row', () => {
  expect(describeEvent(make('prompt', { prompt_preview: 'x'.repeat(4_000) })).length).toBeLessThan(260)
})
