import type { StoredEvent } from '@panoptes/schema'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { Socket } from './socket.ts'
import { type Break, openTail } from './tail.ts'

const event = (seq: number): StoredEvent => ({
  v: 1,
  key: `k${seq}`,
  seq,
  ts: seq,
  event: 'prompt',
  source: 'custom',
  host: 'h',
  session_id: 's',
})
const events = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => event(from + i))

function start() {
  const socket: Socket = { onmessage: null, onclose: null, close: () => undefined }
  const frames: (() => void)[] = []
  const asked: (number | null)[] = []
  const open = (since: number | null) => {
    asked.push(since)
    return socket
  }
  const tail = openTail({ open, nextFrame: (run) => void frames.push(run) })
  const batches: number[][] = []
  const breaks: Break[] = []
  let resets = 0
  tail.listen({
    onEvents: (batch) => batches.push(batch.map((one) => one.seq)),
    onBreak: (gap) => breaks.push(gap),
    onReset: () => {
      resets += 1
    },
  })
  return {
    tail,
    batches,
    breaks,
    frames,
    asked,
    close: (code: number) => socket.onclose?.({ code }),
    resets: () => resets,
    say: (frame: unknown) => socket.onmessage?.({ data: JSON.stringify(frame) }),
    draw: () => {
      for (const run of frames.splice(0)) run()
    },
  }
}

it('publishes all events of one screen frame together and in order', () => {
  const { say, draw, batches, tail, frames } = start()
  say({ type: 'snapshot', seq: 3, alive: [] })
  say({ type: 'event', data: event(4) })
  say({ type: 'batch', data: events(5, 7) })
  expect(batches).toEqual([])
  expect(frames.length).toBe(1)
  draw()
  expect(batches).toEqual([[4, 5, 6, 7]])
  expect(tail.state.get().latest).toBe(7)
  tail.stop()
})

it('publishes each event once when the server repeats some', () => {
  const { say, draw, batches, tail } = start()
  say({ type: 'snapshot', seq: 0, alive: [] })
  say({ type: 'batch', data: events(1, 3) })
  draw()
  say({ type: 'batch', data: events(2, 5) })
  draw()
  expect(batches).toEqual([
    [1, 2, 3],
    [4, 5],
  ])
  tail.stop()
})

it('reports a gap of the server after the events before it', () => {
  const { say, draw, batches, breaks, tail } = start()
  say({ type: 'snapshot', seq: 0, alive: [] })
  say({ type: 'event', data: event(1) })
  say({ type: 'gap', from: 2, to: 213 })
  expect(batches).toEqual([[1]])
  expect(breaks).toEqual([{ from: 2, to: 213, missed: true }])
  say({ type: 'event', data: event(214) })
  draw()
  expect(batches.at(-1)).toEqual([214])
  expect(breaks.length).toBe(1)
  tail.stop()
})

it('limits its queue and reports the dropped range', () => {
  const { say, draw, batches, breaks, tail } = start()
  say({ type: 'snapshot', seq: 0, alive: [] })
  for (let from = 1; from <= 12_000; from += 1_000) say({ type: 'batch', data: events(from, from + 999) })
  draw()
  expect(breaks).toEqual([{ from: 1, to: 7_000, missed: false }])
  expect(batches.flat().length).toBe(5_000)
  expect(tail.state.get().latest).toBe(12_000)
  tail.stop()
})

it('reports unlocked achievements with their view', () => {
  const { say, tail } = start()
  const heard: string[] = []
  tail.listen({ onUnlocked: (view, items) => heard.push(`${view} ${items.map(({ id }) => id).join()}`) })
  say({ type: 'unlocked', view: 'hermes', achievements: [{ id: 'let_him_cook' }, { id: 'full_send' }] })
  expect(heard).toEqual(['hermes let_him_cook,full_send'])
  tail.stop()
})

it('resets when another store answers', () => {
  const { say, draw, tail, resets, batches } = start()
  say({ type: 'snapshot', seq: 900, alive: [] })
  say({ type: 'snapshot', seq: 2, alive: [] })
  say({ type: 'event', data: event(3) })
  draw()
  expect(resets()).toBe(1)
  expect(batches).toEqual([[3]])
  expect(tail.state.get().latest).toBe(3)
  tail.stop()
})

it('resets after the log went back, even if it has grown past the known seq', () => {
  vi.useFakeTimers()
  const { say, draw, close, tail, asked, resets, batches } = start()
  say({ type: 'snapshot', seq: 3, alive: [] })
  say({ type: 'batch', data: events(4, 5) })
  draw()
  say({ type: 'event', data: event(6) })
  close(1012)
  draw()
  expect(resets()).toBe(0)
  tail.retry()
  expect(asked).toEqual([null, null])
  say({ type: 'snapshot', seq: 8, alive: [] })
  expect(resets()).toBe(1)
  say({ type: 'event', data: event(9) })
  draw()
  expect(batches).toEqual([[4, 5], [9]])
  tail.stop()
  vi.useRealTimers()
})

it('publishes alive agents at once, and agent changes after their events', () => {
  const { tail, say, draw } = start()
  const heard: string[] = []
  tail.listen({
    onAlive: (alive, leftOut) => heard.push(`alive ${alive.map((one) => one.id).join()} and ${leftOut}`),
    onEvents: (batch) => heard.push(`events ${batch.map((one) => one.seq).join()}`),
    onAgents: (agents, gone) =>
      heard.push(`agents ${agents.map((one) => one.id).join()} gone ${gone.map((one) => one.id).join()}`),
  })
  say({ type: 'snapshot', seq: 4, alive: [{ id: 'a' }], alive_left_out: 41 })
  say({ type: 'agents', seq: 5, data: [{ id: 'a' }] })
  say({ type: 'event', data: event(5) })
  say({ type: 'agents', seq: 5, data: [{ id: 'b' }], gone: [{ id: 'a' }] })
  draw()
  expect(heard).toEqual(['alive a and 41', 'events 5', 'agents a gone ', 'agents b gone a'])
})

it('keeps the time of the disconnect across failed retries', () => {
  vi.useFakeTimers({ now: 1_000 })
  onTestFinished(() => void vi.useRealTimers())
  const { say, close, tail } = start()
  say({ type: 'snapshot', seq: 3, alive: [] })
  expect(tail.state.get()).toMatchObject({ link: 'connected', lostAt: null })
  vi.setSystemTime(5_000)
  close(1006)
  vi.setSystemTime(65_000)
  tail.retry()
  close(1006)
  expect(tail.state.get().lostAt).toBe(5_000)
  tail.retry()
  say({ type: 'snapshot', seq: 3, alive: [] })
  expect(tail.state.get().lostAt).toBeNull()
  tail.stop()
})
