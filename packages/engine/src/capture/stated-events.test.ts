import { expect, it } from 'vitest'
import { statedKey } from './stated-events.ts'

const status = {
  event: 'status',
  agent_id: 'main',
  prompt_id: 'p1',
  shipped: 'partial',
  stubs: 1,
  verified: 'yes',
  checks: [{ name: 'tests', result: 'pass' }],
  follow_ups: ['tidy'],
}

it.each<[string, unknown]>([
  ['agent_id', 'a1'],
  ['prompt_id', 'p2'],
  ['shipped', 'functional'],
  ['stubs', 2],
  ['verified', 'no'],
  ['checks', []],
  ['follow_ups', []],
])('tells markers apart by their %s', (field, value) => {
  expect(statedKey({ ...status })).toBe(statedKey(status))
  expect(statedKey({ ...status, [field]: value })).not.toBe(statedKey(status))
})

it('tells claims apart by their agent, message and place, and names nothing else', () => {
  const claim = { event: 'claim', agent_id: 'main', message_id: 'm', place: 0 }
  expect(statedKey(claim)).toBe('main:m:0:claim')
  expect(statedKey({ ...claim, place: 1, value: 'x' })).toBe('main:m:1:claim')
  expect(statedKey({ event: 'prompt' })).toBeUndefined()
})
