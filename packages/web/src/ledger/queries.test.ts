import { afterEach, expect, it, vi } from 'vitest'
import { queryClient } from '../api/client.ts'
import { applyReview, claimsQuery, overviewQuery, reviewQuery, skillsQuery, undoReview } from './queries.ts'

afterEach(() => {
  vi.unstubAllGlobals()
  queryClient.clear()
})

/** A server that answers with this function and records the requests. */
function server(answer: (path: string) => object) {
  const asked: (readonly [path: string, body: unknown])[] = []
  vi.stubGlobal('fetch', async (path: string, { body }: RequestInit) => {
    asked.push([path, typeof body === 'string' ? JSON.parse(body) : null])
    return Response.json(answer(path))
  })
  return asked
}

it('loads twenty rows, then larger pages, and stops when rows disappear', async () => {
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

it('previews, applies and undoes a skill review', async () => {
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

it('invalidates the skills after a review, but not the open preview', async () => {
  server(() => ({ applied: true, changes: [] }))
  for (const key of [skillsQuery.queryKey, reviewQuery.queryKey, overviewQuery('').queryKey])
    queryClient.setQueryData(key as readonly unknown[], {})
  await applyReview()
  const isOld = (key: readonly unknown[]) => queryClient.getQueryState(key)?.isInvalidated
  expect([skillsQuery.queryKey, reviewQuery.queryKey, overviewQuery('').queryKey].map(isOld)).toEqual([
    ...[true, false, false],
  ])
})

it('polls the overview faster while the history is being read', () => {
  const { refetchInterval } = overviewQuery('')
  const asks = (state: 'running' | 'idle') =>
    refetchInterval({ state: { data: { reading: { state } } as never } })
  expect(asks('running')).toBeLessThan(asks('idle') / 5)
})
