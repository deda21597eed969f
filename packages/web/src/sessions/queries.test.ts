import { InfiniteQueryObserver, QueryClient } from '@tanstack/react-query'
import { expect, it, onTestFinished, vi } from 'vitest'
import { searchQuery } from './queries.ts'

interface Asked {
  readonly path: string
  readonly signal: AbortSignal
  readonly answer: (hits: number) => void
}

/** A server that responds only when the test tells it to. */
function slowServer() {
  const asked: Asked[] = []
  vi.stubGlobal('fetch', (path: string, { signal }: { signal: AbortSignal }) => {
    return new Promise((resolve, reject) => {
      const answer = (hits: number) => resolve(Response.json(Array.from({ length: hits }, (_, n) => ({ n }))))
      signal.addEventListener('abort', () => reject(signal.reason))
      asked.push({ path, signal, answer })
    })
  })
  onTestFinished(() => void vi.unstubAllGlobals())
  return asked
}

it('aborts a search when the next key is typed', async () => {
  const asked = slowServer()
  const client = new QueryClient()
  const observer = new InfiniteQueryObserver(client, searchQuery('ga', ''))
  onTestFinished(observer.subscribe(() => undefined))
  await vi.waitFor(() => expect(asked).toHaveLength(1), 30_000)
  observer.setOptions(searchQuery('gat', ''))
  await vi.waitFor(() => expect(asked).toHaveLength(2), 30_000)
  expect(asked.map(({ signal }) => signal.aborted)).toEqual([true, false])
})

it('requests fifty hits first and more on demand', async () => {
  const asked = slowServer()
  const observer = new InfiniteQueryObserver(new QueryClient(), searchQuery('gate', 'source=hermes'))
  onTestFinished(observer.subscribe(() => undefined))
  await vi.waitFor(() => expect(asked).toHaveLength(1), 30_000)
  asked[0]?.answer(50)
  await vi.waitFor(() => expect(observer.getCurrentResult().hasNextPage).toBe(true), 30_000)
  expect(asked.map(({ path }) => path)).toEqual(['/api/past/search?q=gate&limit=50&offset=0&source=hermes'])
  const more = observer.getCurrentResult().fetchNextPage()
  await vi.waitFor(() => expect(asked).toHaveLength(2), 30_000)
  expect(asked[1]?.path).toContain('limit=50&offset=50')
  asked[1]?.answer(7)
  await more
  expect(observer.getCurrentResult().hasNextPage).toBe(false)
})
