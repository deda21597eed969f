import type { FoundMessage } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { groupHits } from './hit-groups.ts'

const hit = (source: string, session_id: string, n: number): FoundMessage => ({
  source,
  session_id,
  n,
  id: `${n}`,
  agent_id: 'main',
  role: 'user',
  ts: null,
  title: null,
  project: null,
  snippet: null,
})

it('groups search hits by session in the order of the best hit', () => {
  const groups = groupHits([hit('a', 'x', 5), hit('b', 'x', 1), hit('a', 'x', 2), hit('a', 'y', 0)])
  expect(groups.map(({ key, hits }) => [key, hits.map(({ n }) => n)])).toEqual([
    ['a~x', [5, 2]],
    ['b~x', [1]],
    ['a~y', [0]],
  ])
  expect(groupHits([])).toEqual([])
  expect(groupHits([hit('a', 'x', 5), hit('a', 'x', 5)]).map(({ hits }) => hits.length)).toEqual([1])
})
