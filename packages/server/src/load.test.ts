import { request } from 'node:http'
import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTestServer, type TestServer, unwrap } from './server.test-kit.ts'

let kit: TestServer
beforeAll(async () => {
  kit = await startTestServer()
})
afterAll(() => kit.stop())

const POSTS = 10
const LINES = 4_000
const PAD = 'words '.repeat(340)
const MEGABYTE = 1_048_576

const line = (post: number, n: number): string =>
  `{"event":"novel","session_id":"s${post}","key":"${post}-${String(n).padStart(6, '0')}","note":"${PAD}"}\n`

/** Written as it is sent, so that the sender, who is in the same process, holds next to nothing. */
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

it('keeps its memory while large bodies come at once, and stores whatever it acknowledged', async () => {
  const token = await kit.token('ingest')
  const before = process.memoryUsage.rss()
  let most = before
  const watching = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss())
  }, 10)
  const accepted = await Promise.all(Array.from({ length: POSTS }, (_, n) => postUntilTaken(n, token)))
  clearInterval(watching)
  expect(accepted).toEqual(Array.from({ length: POSTS }, () => LINES))
  expect(unwrap(await kit.ledger.counters()).value.events).toBe(POSTS * LINES)
  expect(Math.round((most - before) / MEGABYTE)).toBeLessThan(500)
}, 120_000)
