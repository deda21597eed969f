import { setTimeout as wait } from 'node:timers/promises'
import { describe, expect, it, vi } from 'vitest'
import { raceAbort } from './abort-race.ts'
import { PushStream } from './push-stream.ts'

describe('pushed stream', () => {
  it('is read in order, before and while somebody reads, until it ends', async () => {
    const pushed = new PushStream<number>()
    pushed.push(1)
    const read: number[] = []
    const reading = (async () => {
      for await (const one of pushed.read()) read.push(one)
    })()
    await vi.waitFor(() => expect(read).toEqual([1]), 30_000)
    pushed.push(2)
    pushed.push(3)
    await vi.waitFor(() => expect(read).toEqual([1, 2, 3]), 30_000)
    pushed.push(4)
    pushed.end()
    pushed.push(5)
    await reading
    expect(read).toEqual([1, 2, 3, 4])
  })
  it('reports an item as seen once a slow reader is done with it', async () => {
    const pushed = new PushStream<number>()
    const order: string[] = []
    void (async () => {
      for await (const one of pushed.read()) {
        await wait(10)
        order.push(`read ${one}`)
      }
    })()
    for (const one of [1, 2]) {
      pushed.push(one)
      await pushed.drain()
      order.push(`seen ${one}`)
    }
    await pushed.drain()
    expect(order).toEqual(['read 1', 'seen 1', 'read 2', 'seen 2'])
  })
})

describe('raceAbort', () => {
  const never = () => new AbortController().signal

  it('passes on the value or the error of the promise', async () => {
    expect(await raceAbort(Promise.resolve(7), never(), 1_000)).toBe(7)
    await expect(raceAbort(Promise.reject(new Error('no')), never())).rejects.toThrow('no')
  })
  it('returns null on an abort, now or later, and on a timeout', async () => {
    const stop = new AbortController()
    const waiting = raceAbort(new Promise(() => {}), stop.signal)
    stop.abort()
    expect(await waiting).toBeNull()
    expect(await raceAbort(Promise.reject(new Error('unseen')), stop.signal)).toBeNull()
    expect(await raceAbort(new Promise(() => {}), never(), 10)).toBeNull()
  })
})
