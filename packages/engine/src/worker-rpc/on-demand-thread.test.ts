import { failure, success } from '@panoptes/schema/result'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OnDemandThread } from './on-demand-thread.ts'
import type { Thread, ThreadSetup } from './thread.ts'

const IDLE_MS = 30_000

type CounterCalls = { add(count: number): number; crash(): null; close(): null }

/** Adds numbers up, starting with its data. Its end is up to the test. */
class Counter {
  readonly gone = Promise.withResolvers<void>()
  isClosed = false
  isDead = false
  #sum: number

  constructor({ data }: ThreadSetup) {
    this.#sum = Number(data)
  }

  async call(method: string, [count = 0]: readonly number[]) {
    if (method === 'close') this.isClosed = true
    if (method === 'crash') this.isDead = true
    this.#sum += count
    return this.isDead ? failure('io', 'It died.') : success(this.#sum)
  }

  end() {
    return this.gone.promise
  }
}

function createCounter() {
  const ended = vi.fn()
  const started: Counter[] = []
  const create = (setup: ThreadSetup) => {
    const counter = new Counter(setup)
    started.push(counter)
    return counter as unknown as Thread<CounterCalls>
  }
  const thread = new OnDemandThread<CounterCalls>(
    {
      script: new URL('file:///counter.js'),
      name: 'counter',
      what: 'The counter',
      data: () => (started.length + 1) * 100,
      onEnd: ended,
    },
    create,
  )
  return { thread, ended, started }
}

describe('OnDemandThread', () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterEach(() => void vi.useRealTimers())

  it('starts with the first call', async () => {
    const { thread, started } = createCounter()
    expect(started).toHaveLength(0)
    expect(await thread.call('add', [1])).toEqual(success(101))
    expect(await thread.call('add', [1])).toEqual(success(102))
    expect(started).toHaveLength(1)
  })

  it('closes a thread that had no calls for a while and starts the next one with fresh data', async () => {
    const { thread, ended, started } = createCounter()
    await thread.call('add', [1])
    vi.advanceTimersByTime(IDLE_MS - 1)
    await thread.call('add', [1])
    vi.advanceTimersByTime(IDLE_MS - 1)
    expect(ended).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(started).toMatchObject([{ isClosed: true }])
    expect(ended).toHaveBeenCalledOnce()
    started[0]?.gone.resolve()
    expect(await thread.call('add', [1])).toEqual(success(201))
  })

  it('answers calls that arrive while the thread ends in order, once it is gone', async () => {
    const { thread, started } = createCounter()
    await thread.call('add', [1])
    vi.advanceTimersByTime(IDLE_MS)
    const answers = Promise.all([thread.call('add', [1]), thread.call('add', [2])])
    await vi.advanceTimersByTimeAsync(1)
    expect(started).toHaveLength(1)
    started[0]?.gone.resolve()
    expect(await answers).toEqual([success(201), success(203)])
  })

  it('keeps the thread while it is held', async () => {
    const { thread } = createCounter()
    const release = thread.hold()
    await thread.call('add', [1])
    vi.advanceTimersByTime(10 * IDLE_MS)
    expect(thread.isRunning).toBe(true)
    release()
    vi.advanceTimersByTime(IDLE_MS)
    expect(thread.isRunning).toBe(false)
  })

  it('starts again after a thread died', async () => {
    const { thread, ended } = createCounter()
    expect(await thread.call('crash', [])).toMatchObject({ ok: false, code: 'io' })
    expect(ended).toHaveBeenCalledOnce()
    expect(await thread.call('add', [1])).toEqual(success(201))
  })

  it('refuses calls once it is closed', async () => {
    const { thread, ended, started } = createCounter()
    await thread.call('add', [1])
    started[0]?.gone.resolve()
    await thread.close()
    expect(started).toMatchObject([{ isClosed: true }])
    expect(await thread.call('add', [1])).toMatchObject({ ok: false, code: 'closed' })
    expect(ended).not.toHaveBeenCalled()
  })
})
