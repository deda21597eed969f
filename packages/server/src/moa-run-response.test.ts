import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { MoaService } from '@panoptes/engine/moa'
import type { MoaRunPart } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './server.test-kit.ts'

const PIECES = 1_000
const piece = 'x'.repeat(65_536)

let kit: TestServer
let given = 0
let stopped: AbortSignal | undefined
beforeAll(async () => {
  async function* parts(signal: AbortSignal): AsyncGenerator<MoaRunPart, undefined> {
    stopped = signal
    for (given = 0; given < PIECES; given += 1) yield { type: 'text', text: piece }
  }
  const moaService = { run: (_input: unknown, signal: AbortSignal) => success(parts(signal)) }
  kit = await startTestServer({ options: { moaService: moaService as unknown as MoaService } })
})
afterAll(() => kit.stop())

/** Sends a request and reads nothing of the response. */
async function pausedRun(): Promise<Socket> {
  const { port } = new URL(kit.address)
  const socket = connect(Number(port), '127.0.0.1')
  socket.pause()
  await once(socket, 'connect')
  const body = JSON.stringify({ prompt: 'x' })
  socket.write(
    [
      'POST /api/moa/run HTTP/1.1',
      `host: 127.0.0.1:${port}`,
      `authorization: Bearer ${await kit.token('full')}`,
      'content-type: application/json',
      'connection: close',
      `content-length: ${body.length}`,
      '',
      body,
    ].join('\r\n'),
  )
  return socket
}

/** Resolves when no more data arrives. */
async function standstill(): Promise<number> {
  await expect.poll(() => given).toBeGreaterThan(0)
  for (let before = -1; before !== given; ) {
    before = given
    await wait(50)
  }
  return given
}

describe('a streamed run with a slow reader', () => {
  it('pauses, and continues to its end when the client reads', async () => {
    const socket = await pausedRun()
    expect(await standstill()).toBeLessThan(PIECES / 2)
    let bytes = 0
    socket.on('data', (part) => {
      bytes += part.length
    })
    socket.resume()
    await once(socket, 'close')
    expect(given).toBe(PIECES)
    expect(bytes).toBeGreaterThan(PIECES * piece.length)
    expect(stopped?.aborted).toBe(false)
  })

  it('is aborted when the client disconnects', async () => {
    const socket = await pausedRun()
    await standstill()
    socket.destroy()
    await expect.poll(() => given).toBe(PIECES)
    expect(stopped?.aborted).toBe(true)
  })
})
