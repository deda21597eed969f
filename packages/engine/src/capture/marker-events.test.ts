import { expect, it } from 'vitest'
import { markerKey } from './marker-events.ts'

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
])('distinguishes markers by their %s', (field, value) => {
  expect(markerKey({ ...status })).toBe(markerKey(status))
  expect(markerKey({ ...status, [field]: value })).not.toBe(markerKey(status))
})

it('distinguishes claims by agent, message and place, and gives no key to other events', () => {
  const claim = { event: 'claim', agent_id: 'main', message_id: 'm', place: 0 }
  expect(markerKey(claim)).toBe('main:m:0:claim')
  expect(markerKey({ ...claim, place: 1, value: 'x' })).toBe('main:m:1:claim')
  expect(markerKey({ event: 'prompt' })).toBeUndefined()
})
