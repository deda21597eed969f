import { request } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { EventStore } from '@panoptes/engine/store'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { overriding, startTestServer, type TestServer, unwrap } from './server.test-kit.ts'

/** How many large bodies are being stored now, and the most at any one time. */
const storing = new Set<string>()
let most = 0
const smallCame = Promise.withResolvers<void>()

/** Every append of a large body waits for the small body that is sent last. */
const watched = (store: EventStore): EventStore =>
  overriding(store, {
    append: async (events) => {
      const session = events[0]?.session_id ?? ''
      if (session === 'small') smallCame.resolve()
      else {
        storing.add(session)
        most = Math.max(most, storing.size)
        await smallCame.promise
      }
      const appended = await store.append(events)
      storing.delete(session)
      return appended
    },
  })

let kit: TestServer
beforeAll(async () => {
  kit = await startTestServer({ wrap: watched })
})
afterAll(() => kit.stop())

const POSTS = 4
const LINES = 6_001
const PAD = 'words '.repeat(340)
const MEGABYTE = 1_048_576

const line = (post: number, n: number): string =>
  `{"event":"novel","session_id":"s${post}","key":"${post}-${String(n).padStart(6, '0')}","note":"${PAD}"}\n`

/** The body is generated while it is sent: the sender runs in the same process and must use little memory. */
function* body(post: number): Generator<string> {
  for (let n = 0; n < LINES; n++) yield line(post, n)
}

function post(number: number, token: string): Promise<{ status: number; text: string; retry: number }> {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number
    text: string
    retry: number
  }>()
  const sent = request(
    `${kit.address}/events`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-length': line(number, 0).length * LINES },
    },
    (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      const retry = Number(answer.headers['retry-after'] ?? 0)
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, retry }))
    },
  )
  sent.on('error', reject)
  Readable.from(body(number)).pipe(sent)
  return promise
}

async function postUntilTaken(number: number, token: string): Promise<number> {
  for (;;) {
    const { status, text, retry } = await post(number, token)
    if (status !== 503) {
      expect(status, text).toBe(200)
      return (JSON.parse(text) as { accepted: number }).accepted
    }
    expect(retry).toBeGreaterThan(0)
    await wait(retry * 1_000)
  }
}

it('processes few large bodies at once and small ones meanwhile, and stores everything that it acknowledged', async () => {
  const token = await kit.token('ingest')
  const before = process.memoryUsage.rss()
  let highest = before
  const watching = setInterval(() => {
    highest = Math.max(highest, process.memoryUsage.rss())
  }, 10)
  const large = Array.from({ length: POSTS }, (_, n) => postUntilTaken(n, token))
  await expect.poll(() => most).toBeGreaterThan(1)
  expect(await (await kit.post({ event: 'novel', session_id: 'small' })).json()).toMatchObject({
    accepted: 1,
  })
  const accepted = await Promise.all(large)
  clearInterval(watching)
  expect(most).toBe(2)
  expect(accepted).toEqual(Array.from({ length: POSTS }, () => LINES))
  expect(unwrap(await kit.store.counters()).value.events).toBe(POSTS * LINES + 1)
  expect(Math.round((highest - before) / MEGABYTE)).toBeLessThan(500)
}, 120_000)
