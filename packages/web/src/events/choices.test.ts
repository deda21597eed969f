import type { Agent } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { agentChoices, countChoices, sessionChoices } from './choices.ts'

const agent = (id: string, session_id: string, last_at: number): Agent => ({
  id,
  session_id,
  last_at,
  parent_id: null,
  source: 'hermes',
  subagent_type: id === 'main' ? null : 'Explore',
  model: null,
  state: 'working',
  outcome: null,
  tool_counts: {},
  errors: 0,
  started_at: 0,
  ended_at: null,
  prompt_preview: null,
  wait_reason: null,
  background: false,
  tool_use_id: null,
  doing: null,
  usage: null,
})
const agents = [agent('main', 's1', 1), agent('a1', 's1', 5), agent('main', 's2', 9), agent('a2', 's2', 3)]
const values = (choices: readonly { readonly value: string }[]) => choices.map((choice) => choice.value)

it('offers kinds with a count, most frequent first', () => {
  expect(countChoices({ usage: 3, claim: 0, prompt: 12_400 })).toEqual([
    { value: 'prompt', label: 'prompt', note: '12k' },
    { value: 'usage', label: 'usage', note: '3' },
  ])
})

it('keeps a selected value among the choices after it disappears', () => {
  expect(values(countChoices({ usage: 3 }, ['gone']))).toEqual(['gone', 'usage'])
  expect(values(sessionChoices(agents, 'old'))).toEqual(['old', 's2', 's1'])
})

it('offers each session once, the latest first', () => {
  expect(values(sessionChoices(agents, undefined))).toEqual(['s2', 's1'])
})

it('offers the agents of the chosen session', () => {
  expect(values(agentChoices(agents, 's1', undefined))).toEqual(['a1', 'main'])
  expect(values(agentChoices(agents, undefined, undefined)).sort()).toEqual(['a1', 'a2', 'main'])
})
