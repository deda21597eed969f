import type { StoredEvent } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { createMatcher, type Filter, isNarrowed, toSearchParams } from './filter.ts'

const event: StoredEvent = {
  v: 1,
  key: 'cc:9f2c:toolu_01:tool_done',
  seq: 68_403,
  ts: 1,
  event: 'tool_done',
  source: 'claude-code',
  host: 'studio',
  session_id: '9f2c41d0',
  id: 'toolu_01',
  agent_id: 'a7c3e0',
  tool: 'Bash',
  ok: false,
  error_preview: 'Exit code 1: "two" trials slow\nÄrger',
}

const matches = (filter: Filter) => createMatcher(filter)(event)

it('matches every event without a filter', () => {
  expect(matches({})).toBe(true)
  expect(isNarrowed({})).toBe(false)
})

it.each<[string, Filter, boolean]>([
  ['one of the kinds', { kinds: ['usage', 'tool_done'] }, true],
  ['other kinds', { kinds: ['usage'] }, false],
  ['the source', { source: 'claude-code' }, true],
  ['another source', { source: 'hermes' }, false],
  ['the session', { session: '9f2c41d0' }, true],
  ['a part of the session', { session: '9f2c' }, false],
  ['the agent', { agent: 'a7c3e0' }, true],
  ['another agent', { agent: 'main' }, false],
  ['failures', { failed: true }, true],
  ['the key', { text: 'toolu_01:tool_done' }, true],
  ['words in any case', { text: 'EXIT code 1' }, true],
  ['quoted words', { text: '"two" trials' }, true],
  ['a line break as typed', { text: 'slow\nÄ' }, true],
  ['letters beyond ASCII in another case', { text: 'ärger' }, false],
  ['the seq, which is not a part of the text', { text: '68403' }, false],
  ['all of several', { kinds: ['tool_done'], failed: true, text: 'bash' }, true],
  ['one of several that does not hold', { kinds: ['tool_done'], source: 'hermes' }, false],
])('filters by %s', (_, filter, expected) => expect(matches(filter)).toBe(expected))

it('assigns the start of an agent to that agent and not to its parent', () => {
  const spawned = { ...event, event: 'agent_spawn', id: 'child' }
  expect(createMatcher({ agent: 'child' })(spawned)).toBe(true)
  expect(createMatcher({ agent: 'a7c3e0' })(spawned)).toBe(false)
})

it.each<Filter>([
  { kinds: [] },
  { source: 's' },
  { session: 's' },
  { agent: 'a' },
  { text: 't' },
  { failed: true },
])('counts %o as a filter', (filter) => expect(isNarrowed(filter)).toBe(true))

it('does not match a successful call as a failure', () => {
  expect(createMatcher({ failed: true })({ ...event, ok: true })).toBe(false)
})

it('sends the same filter to the server', () => {
  const query = toSearchParams({ kinds: ['usage', 'claim'], text: 'a b', failed: true, session: 's' })
  expect(query.toString()).toBe('kind=usage%2Cclaim&session=s&text=a+b&failed=1')
  expect(toSearchParams({ source: 'codex', agent: 'a1' }).toString()).toBe('source=codex&agent=a1')
  expect(toSearchParams({ failed: false }).toString()).toBe('')
})
