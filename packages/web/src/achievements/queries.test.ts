import type { AchievementsReply } from '@panoptes/schema'
import { QueryClient, QueryObserver } from '@tanstack/react-query'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { achievementsQuery } from './queries.ts'

afterEach(() => void vi.unstubAllGlobals())

/** A server that responds only when the test tells it to, and records requests and their abort signals. */
function server(reply: object) {
  const asked: { readonly path: string; readonly signal: AbortSignal; readonly answer: () => void }[] = []
  vi.stubGlobal('fetch', (path: string, { signal }: { readonly signal: AbortSignal }) => {
    const { promise, resolve, reject } = Promise.withResolvers<Response>()
    signal.addEventListener('abort', () => reject(signal.reason))
    asked.push({ path, signal, answer: () => resolve(Response.json(reply)) })
    return promise
  })
  return asked
}

const replyIn = (state: string, ttl: number, error: string | null = null) =>
  ({ scan_meta: { error, status: { state, ttl_seconds: ttl } } }) as unknown as AchievementsReply

/** Subscribes to the query as the page does. */
const look = (client: QueryClient) =>
  new QueryObserver(client, { ...achievementsQuery('all'), refetchInterval: false }).subscribe(
    () => undefined,
  )

describe('the achievements query', () => {
  it('sends one request for several observers and does not wait for a scan', () => {
    const asked = server({})
    const client = new QueryClient()
    const leave = [look(client), look(client)]
    expect(asked.map(({ path }) => path)).toEqual(['/api/achievements?source=all&wait=0'])
    for (const one of leave) one()
  })

  it('aborts when the last observer leaves and reuses a completed response', async () => {
    const asked = server({ view: 'all' })
    const client = new QueryClient()
    look(client)()
    expect(asked[0]?.signal.aborted).toBe(true)
    const leave = look(client)
    asked[1]?.answer()
    await vi.waitFor(
      () => expect(client.getQueryData(achievementsQuery('all').queryKey)).toEqual({ view: 'all' }),
      30_000,
    )
    leave()
    look(client)()
    expect(asked).toHaveLength(2)
  })

  it('polls fast during a scan, every 10 s after a failure and at the TTL otherwise', () => {
    const often = achievementsQuery('all').refetchInterval
    if (typeof often !== 'function') throw new Error('it does not depend on what was answered')
    const every = (data: AchievementsReply | undefined, error: Error | null = null) =>
      often({ state: { data, error } } as Parameters<typeof often>[0])
    expect(every(replyIn('running', 120))).toBeLessThan(1_000)
    expect(every(replyIn('idle', 120))).toBe(120_000)
    expect(every(undefined)).toBe(120_000)
    const soon = [
      every(undefined, new Error('gone')),
      every(replyIn('running', 60), new Error('gone')),
      every({ ...replyIn('failed', 120), error: 'locked' }),
      every(replyIn('idle', 120, 'one of them is locked')),
    ]
    expect(soon).toEqual(soon.map(() => 10_000))
    expect(every({ ...replyIn('running', 120), error: 'locked' })).toBeLessThan(1_000)
  })
})
