import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import { afterEach, expect, it } from 'vitest'
import { reusingFetch } from './openai.ts'

let server: Server
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

const LAST = 'data: [DONE]\n\n'
const PIECE = `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: 'x' }, finish_reason: 'stop' }] })}\n\n`

/**
 * Sends requests one after another to a server that ends its answers this long after the last line,
 * and returns its connections.
 */
async function asked(times: number, endsAfterMs: number, abort = false) {
  let opened = 0
  let closed = 0
  server = createServer((_incoming, outgoing) => {
    outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
    outgoing.write(PIECE)
    if (abort) return
    outgoing.write(LAST)
    setTimeout(() => outgoing.end(), endsAfterMs)
  })
  server.keepAliveTimeout = 60_000
  server.on('connection', (socket) => {
    opened += 1
    socket.once('close', () => {
      closed += 1
    })
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  const client = new OpenAI({ apiKey: 'k', baseURL, maxRetries: 0, fetch: reusingFetch })
  const stop = new AbortController()
  const began = performance.now()
  for (let n = 0; n < times; n += 1) {
    const stream = await client.chat.completions.create(
      { model: 'm', messages: [{ role: 'user', content: 'x' }], stream: true },
      { signal: stop.signal },
    )
    for await (const _chunk of stream) if (abort) stop.abort()
    await new Promise((done) => setTimeout(done, endsAfterMs < 100 ? endsAfterMs + 50 : 0))
  }
  return { opened: () => opened, closed: () => closed, ms: performance.now() - began }
}

it('reuses a connection although the SDK leaves a stream at its last line', async () => {
  // Without reuse there would be eight connections. On a busy machine, a request may start before
  // the previous one has ended.
  expect((await asked(8, 10)).opened()).toBeLessThan(8)
})

it('stops draining an answer that does not end', async () => {
  const { ms, closed } = await asked(1, 60_000)
  expect(ms).toBeLessThan(15_000)
  await expect.poll(closed).toBeGreaterThan(0)
})

it('closes the connection at once on an abort', async () => {
  const { closed } = await asked(1, 60_000, true)
  await expect.poll(closed).toBeGreaterThan(0)
})
