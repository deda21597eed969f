import type { PastSession, Spent } from '@panoptes/schema'
import { createZeroSpent } from '@panoptes/schema/spent'
import { expect, it } from 'vitest'
import { sessionFacts } from './facts.ts'

const session = (spent: Partial<Spent>, outside?: number): PastSession => ({
  ...{ source: 'codex', id: 's', parent_id: null, lineage: 'root', title: null, project: null, cwd: null },
  ...{ git_branch: null, model: null, started_at: null, last_at: null, ended_at: null, fingerprint: 'f' },
  ...{ place: '/s', messages: 2, tool_calls: 0, errors: 0, activity: [], tags: [], note: null },
  spent: { ...createZeroSpent(), ...spent },
  ...(outside !== undefined && { outside_micro_usd: outside }),
})

const money = (spent: Partial<Spent>, outside?: number) =>
  sessionFacts(session(spent, outside)).filter(([name]) => /Tokens|Cost/.test(name))

it('shows what the client spent outside the transcript on a separate line', () => {
  const spent = { input: 10, output: 2, cost_micro_usd: 140_000 }
  expect(money(spent, 250_000)).toEqual([
    ['Tokens', '10 in, 2 out, 0 from cache, 0 to cache'],
    ['Cost', '$0.14'],
    ['Cost outside the transcript', '$0.25'],
  ])
})

it('never shows 0 tokens or $0.00 for unknown values', () => {
  expect(money({ usage_unknown: 2 })).toEqual([
    ['Tokens', 'unknown'],
    ['Cost', 'cost unknown'],
    ['Cost outside the transcript', 'unknown'],
  ])
  expect(money({ input: 10, usage_unknown: 2 })[0]).toEqual([
    'Tokens',
    '10 in, 0 out, 0 from cache, 0 to cache and 2 replies unknown',
  ])
})
