import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { MoaRoom } from '@panoptes/engine/moa'
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
  const moaRoom = { run: (_input: unknown, signal: AbortSignal) => success(parts(signal)) }
  kit = await startTestServer({ options: { moaRoom: moaRoom as unknown as MoaRoom } })
})
afterAll(() => kit.stop())

/** Asks, and reads nothing of what comes. */
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

/** When no more comes. */
async function standstill(): Promise<number> {
  await expect.poll(() => given).toBeGreaterThan(0)
  for (let before = -1; before !== given; ) {
    before = given
    await wait(50)
  }
  return given
}

describe('a run of a turn whose reader does not read', () => {
  it('is held back, and goes on to its end when it is read', async () => {
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

  it('is let go of when that reader leaves', async () => {
    const socket = await pausedRun()
    await standstill()
    socket.destroy()
    await expect.poll(() => given).toBe(PIECES)
    expect(stopped?.aborted).toBe(true)
  })
})
