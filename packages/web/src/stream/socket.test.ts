import type { StreamFrame } from '@panoptes/schema'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { keepSocket, type Link, type Socket } from './socket.ts'

class TestSocket implements Socket {
  onmessage: Socket['onmessage'] = null
  onclose: Socket['onclose'] = null
  closed = false
  readonly since: number | null
  constructor(since: number | null) {
    this.since = since
  }
  say(frame: unknown): void {
    this.onmessage?.({ data: typeof frame === 'string' ? frame : JSON.stringify(frame) })
  }
  close(code = 1006): void {
    this.closed = true
    this.onclose?.({ code })
  }
}

function start() {
  const sockets: TestSocket[] = []
  const links: Link[] = []
  const frames: StreamFrame[] = []
  let last: number | null = null
  const kept = keepSocket({
    open: (since) => {
      const socket = new TestSocket(since)
      sockets.push(socket)
      return socket
    },
    since: () => last,
    onFrame: (frame) => {
      frames.push(frame)
      if (frame.type === 'snapshot') last = frame.seq
    },
    onLink: (link) => links.push(link),
    onVoid: () => {
      last = null
    },
    random: () => 1,
  })
  const newest = () => {
    const socket = sockets.at(-1)
    if (!socket) throw new Error('no socket was opened')
    return socket
  }
  return { sockets, links, frames, kept, newest }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('is connected after the first snapshot and resumes from its last seq', () => {
  const { sockets, links, newest } = start()
  newest().say({ type: 'snapshot', seq: 41, alive: [] })
  newest().close()
  vi.advanceTimersByTime(1_000)
  expect(links).toEqual(['connected', 'reconnecting'])
  expect(sockets.map((socket) => socket.since)).toEqual([null, 41])
})

it('starts without a seq when the server closes with 1012', () => {
  const { sockets, newest } = start()
  newest().say({ type: 'snapshot', seq: 41, alive: [] })
  newest().close(1012)
  vi.advanceTimersByTime(1_000)
  expect(sockets.map((socket) => socket.since)).toEqual([null, null])
})

it('doubles the wait after each failure and reports disconnected from the third on', () => {
  const { sockets, links, newest } = start()
  newest().say({ type: 'snapshot', seq: 1, alive: [] })
  for (const wait of [1_000, 2_000, 4_000]) {
    newest().close()
    vi.advanceTimersByTime(wait - 1)
    const before = sockets.length
    vi.advanceTimersByTime(1)
    expect(sockets.length).toBe(before + 1)
  }
  expect(links).toEqual(['connected', 'reconnecting', 'reconnecting', 'disconnected'])
})

it('starts with the shortest wait after a successful connection', () => {
  const { links, newest, sockets } = start()
  newest().close()
  vi.advanceTimersByTime(1_000)
  newest().say({ type: 'snapshot', seq: 1, alive: [] })
  newest().close()
  vi.advanceTimersByTime(1_000)
  expect(sockets.length).toBe(3)
  expect(links.at(-1)).toBe('reconnecting')
})

it('closes a connection that has been silent for too long', () => {
  const { sockets, newest } = start()
  newest().say({ type: 'snapshot', seq: 1, alive: [] })
  vi.advanceTimersByTime(60_000)
  newest().say({ type: 'ping' })
  vi.advanceTimersByTime(60_000)
  expect(sockets.length).toBe(1)
  vi.advanceTimersByTime(20_000)
  expect(sockets[0]?.closed).toBe(true)
  expect(sockets.length).toBe(2)
})

it('ignores messages that are not frames', () => {
  const { frames, newest } = start()
  newest().say('not json')
  newest().say('3')
  newest().say({ type: 'ping' })
  expect(frames).toEqual([{ type: 'ping' }])
})

it('reconnects at once on retry and never after stop', () => {
  const { sockets, kept, newest } = start()
  newest().close()
  kept.retry()
  expect(sockets.length).toBe(2)
  kept.stop()
  vi.advanceTimersByTime(120_000)
  expect(sockets.length).toBe(2)
})
