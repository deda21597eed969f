import type { FoundMessage, PastSession } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { buildChoices } from './choices.ts'

const session = (id: string, title: string | null, project = 'atlas-api'): PastSession =>
  ({ source: 'claude-code', id, title, project, tool_calls: 4, last_at: 9, started_at: 1 }) as PastSession
const hit = (session_id: string, n = 0): FoundMessage =>
  ({ source: 'claude-code', session_id, n, title: 'found', project: null, ts: 5 }) as FoundMessage

const known = [session('a', 'Retry queue loses a job'), session('b', null, 'docs-site'), session('c', 'Trim')]
const ids = (q: string, hits: readonly FoundMessage[] = []) =>
  buildChoices(known, hits, q).map(({ id }) => id)

it('offers every session while nothing is typed', () => {
  expect(ids('')).toEqual(['a', 'b', 'c'])
  expect(ids('  ')).toEqual(['a', 'b', 'c'])
})

it('offers sessions with all words in their name first, then those with hits, each once', () => {
  expect(ids('QUEUE job')).toEqual(['a'])
  expect(ids('queue trim')).toEqual([])
  expect(ids('docs')).toEqual(['b'])
  expect(ids('queue', [hit('c'), hit('a'), hit('c', 3), hit('z')])).toEqual(['a', 'c', 'z'])
})

it('leaves out sessions without a tool call', () => {
  const silent = { ...session('d', 'Talk about the queue'), tool_calls: 0 }
  const offered = (q: string) => buildChoices([silent, ...known], [hit('d'), hit('z')], q).map(({ id }) => id)
  expect(offered('')).toEqual(['a', 'b', 'c'])
  expect(offered('queue')).toEqual(['a', 'z'])
})

it('shows the number of calls only if it is known', () => {
  const [, near, other] = buildChoices(known, [hit('c'), hit('z')], 'queue')
  expect(near).toMatchObject({ id: 'c', title: 'Trim', calls: 4, at: 9 })
  expect(other).toMatchObject({ id: 'z', title: 'found', calls: null, at: 5 })
})
