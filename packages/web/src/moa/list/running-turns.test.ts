import type { Agent } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { buildRunningRows, runningTurns } from './running-turns.ts'

const agent = (id: string, fields: Partial<Agent> = {}): Agent => ({
  id,
  parent_id: id === 'main' ? null : 'main',
  session_id: 's1',
  source: 'panoptes',
  subagent_type: id === 'main' ? null : 'reference',
  model: 'claude-haiku-4-5',
  state: 'working',
  outcome: null,
  tool_counts: {},
  errors: 0,
  started_at: 1_000,
  last_at: 1_000,
  ended_at: null,
  prompt_preview: id === 'main' ? 'why' : 'claude/claude-haiku-4-5',
  wait_reason: null,
  background: false,
  tool_use_id: null,
  doing: null,
  usage: null,
  ...fields,
})
const done = (at: number): Partial<Agent> => ({ state: 'done', ended_at: at, last_at: at })

it('shows a turn while its references or its aggregator work', () => {
  const [running] = runningTurns([
    agent('main'),
    agent('ref-3f2a91bc-2', done(1_400)),
    agent('ref-3f2a91bc-1'),
  ])
  if (!running) throw new Error('nothing runs')
  expect(running).toMatchObject({ session: 's1', turn: '3f2a91bc', question: 'why' })
  expect(buildRunningRows(running, 2_000).map(({ letter, stretches }) => [letter, stretches[0]?.to])).toEqual(
    [
      ['A', 1_000],
      ['B', 400],
    ],
  )
  const [acting] = runningTurns([agent('main'), agent('ref-3f2a91bc-1', done(1_500))])
  expect(acting && buildRunningRows(acting, 3_000).at(-1)).toMatchObject({
    letter: null,
    stretches: [{ from: 500, to: 2_000, isRunning: true }],
  })
})

it('ignores finished turns, other sources and earlier turns of the session', () => {
  expect(runningTurns([agent('main', done(2_000)), agent('ref-3f2a91bc-1', done(1_500))])).toEqual([])
  expect(runningTurns([agent('ref-3f2a91bc-1', { source: 'codex' })])).toEqual([])
  const turns = runningTurns([
    agent('main'),
    agent('ref-00000001-1', done(1_200)),
    agent('ref-00000002-1', { started_at: 5_000 }),
  ])
  expect(turns.map(({ turn }) => turn)).toEqual(['00000002'])
})

it('lists the newest turn first', () => {
  const turns = runningTurns([
    agent('ref-00000001-1', { started_at: 3_000 }),
    agent('ref-00000002-1', { session_id: 's2', started_at: 9_000 }),
    agent('ref-00000003-1', { session_id: 's3', started_at: 6_000 }),
  ])
  expect(turns.map(({ turn }) => turn)).toEqual(['00000002', '00000003', '00000001'])
})
