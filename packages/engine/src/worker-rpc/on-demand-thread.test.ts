import { failure, success } from '@panoptes/schema/result'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OnDemandThread } from './on-demand-thread.ts'
import type { ThreadSetup } from './thread.ts'

const IDLE_MS = 30_000

type CounterCalls = { add(count: number): number; crash(): null; close(): null }

const started = vi.hoisted((): { gone: PromiseWithResolvers<void>; closed: boolean }[] => [])

vi.mock('./thread.ts', () => ({
  /** Adds numbers up, starting with its data. Its end is up to the test. */
  Thread: class {
    readonly gone = Promise.withResolvers<void>()
    closed = false
    isDead = false
    #sum: number

    constructor({ data }: ThreadSetup) {
      this.#sum = Number(data)
      started.push(this)
    }

    async call(method: keyof CounterCalls, [count = 0]: number[]) {
      if (method === 'close') this.closed = true
      if (method === 'crash') this.isDead = true
      this.#sum += count
      return this.isDead ? failure('io', 'It died.') : success(this.#sum)
    }

    end() {
      return this.gone.promise
    }
  },
}))

function createCounter() {
  const ended = vi.fn()
  let starts = 0
  const thread = new OnDemandThread<CounterCalls>({
    script: new URL('file:///counter.js'),
    name: 'counter',
    what: 'The counter',
    data: () => {
      starts += 1
      return starts * 100
    },
    onEnd: ended,
  })
  return { thread, ended }
}

describe('OnDemandThread', () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    started.length = 0
  })
  afterEach(() => void vi.useRealTimers())

  it('starts with the first call', async () => {
    const { thread } = createCounter()
    expect(started).toHaveLength(0)
    expect(await thread.call('add', [1])).toEqual(success(101))
    expect(await thread.call('add', [1])).toEqual(success(102))
    expect(started).toHaveLength(1)
  })

  it('closes a thread that had no calls for a while and starts the next one with fresh data', async () => {
    const { thread, ended } = createCounter()
    await thread.call('add', [1])
    vi.advanceTimersByTime(IDLE_MS - 1)
    await thread.call('add', [1])
    vi.advanceTimersByTime(IDLE_MS - 1)
    expect(ended).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(started).toMatchObject([{ closed: true }])
    expect(ended).toHaveBeenCalledOnce()
    started[0]?.gone.resolve()
    expect(await thread.call('add', [1])).toEqual(success(201))
  })

  it('answers calls that arrive while the thread ends in order, once it is gone', async () => {
    const { thread } = createCounter()
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
    const { thread, ended } = createCounter()
    await thread.call('add', [1])
    started[0]?.gone.resolve()
    await thread.close()
    expect(started).toMatchObject([{ closed: true }])
    expect(await thread.call('add', [1])).toMatchObject({ ok: false, code: 'closed' })
    expect(ended).not.toHaveBeenCalled()
  })
})
