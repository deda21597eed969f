import { afterEach, expect, it, vi } from 'vitest'
import { queryClient } from '../api/client.ts'
import { applyReview, claimsQuery, overviewQuery, reviewQuery, skillsQuery, undoReview } from './queries.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  queryClient.clear()
})

/** A server that answers so; what it was asked. */
function server(answer: (path: string) => object) {
  const asked: (readonly [path: string, body: unknown])[] = []
  vi.stubGlobal('fetch', async (path: string, { body }: RequestInit) => {
    asked.push([path, typeof body === 'string' ? JSON.parse(body) : null])
    return Response.json(answer(path))
  })
  return asked
}

it('reads the first twenty, then pages until all are there, and no further when rows vanish meanwhile', async () => {
  let left = 250
  const asked = server((path) => {
    const query = new URLSearchParams(path.split('?')[1])
    const rows = Math.max(0, Math.min(Number(query.get('limit')), left - Number(query.get('offset'))))
    return { total: 250, claims: Array.from({ length: rows }) }
  })
  await queryClient.fetchInfiniteQuery({ ...claimsQuery('check=fails'), pages: 9 })
  expect(asked.map(([path]) => path.split('?')[1])).toEqual([
    'check=fails&limit=20&offset=0',
    'check=fails&limit=200&offset=20',
    'check=fails&limit=200&offset=220',
  ])
  asked.length = 0
  left = 20
  await queryClient.fetchInfiniteQuery({ ...claimsQuery('check=open'), pages: 9 })
  expect(asked.length).toBe(2)
})

it('shows a review without doing it, does it when told to, and takes it back', async () => {
  const asked = server(() => ({ applied: false, changes: [] }))
  await queryClient.fetchQuery(reviewQuery)
  await applyReview()
  await undoReview()
  const path = '/api/ledger/skills/review'
  expect(asked).toEqual([
    [path, { apply: false }],
    [path, { apply: true }],
    [path, { undo: true }],
  ])
})

it('reads the skills anew after a review, and leaves what somebody is deciding on', async () => {
  server(() => ({ applied: true, changes: [] }))
  for (const key of [skillsQuery.queryKey, reviewQuery.queryKey, overviewQuery('').queryKey])
    queryClient.setQueryData(key as readonly unknown[], {})
  await applyReview()
  const isOld = (key: readonly unknown[]) => queryClient.getQueryState(key)?.isInvalidated
  expect([skillsQuery.queryKey, reviewQuery.queryKey, overviewQuery('').queryKey].map(isOld)).toEqual([
    ...[true, false, false],
  ])
})

it('asks often for the head while the history is read', () => {
  const { refetchInterval } = overviewQuery('')
  const asks = (state: 'running' | 'idle') =>
    refetchInterval({ state: { data: { reading: { state } } as never } })
  expect(asks('running')).toBeLessThan(asks('idle') / 5)
})
