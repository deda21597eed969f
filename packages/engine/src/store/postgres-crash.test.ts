import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../../e2e/setup/postgres-server.ts'
import { readEvents } from './conformance/event-kit.ts'
import { fold } from './conformance/fold.ts'
import { value } from './conformance/lab.ts'
import { projected, sorted } from './conformance/projecting.ts'
import type { EventStore } from './port.ts'
import { openPostgresStore } from './postgres/postgres-store.ts'

const CHILD = fileURLToPath(new URL('./postgres-crash.child.ts', import.meta.url))

let server: PostgresServer
let schema = ''
const children = new Set<Child>()

beforeAll(async () => {
  server = await startPostgres({ isDurable: true })
})
afterAll(() => server.stop())
afterEach(async () => {
  for (const child of children) await child.kill()
  children.clear()
})

/** A process of its own with the store open. */
class Child {
  readonly acknowledged: string[] = []
  readonly seqs: number[] = []
  readonly ended: Promise<unknown>
  readonly #process: ChildProcess
  #errors = ''

  constructor(...args: readonly (string | number)[]) {
    this.#process = spawn(process.execPath, [CHILD, ...args.map(String)], {
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    let rest = ''
    this.#process.stdout?.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const { acknowledged = [], seqs = [] } = JSON.parse(line) as Partial<Child>
        this.acknowledged.push(...acknowledged)
        this.seqs.push(...seqs)
      }
    })
    this.#process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text
    })
    this.ended = once(this.#process, 'close')
    children.add(this)
  }

  async kill(): Promise<void> {
    this.#process.kill('SIGKILL')
    await this.ended
  }

  /** Waits until the process has reported this many events of either kind. */
  async reached(count: number): Promise<void> {
    while (this.acknowledged.length + this.seqs.length < count) {
      if (this.#process.exitCode !== null) throw new Error(`it ended: ${this.#errors}`)
      await setTimeout(5)
    }
  }

  async done(): Promise<void> {
    await this.ended
    expect(this.#process.exitCode, this.#errors).toBe(0)
  }
}

const write = (...args: readonly number[]) => new Child('write', server.url, schema, ...args)

/** Opens a new store, in this process too. */
async function open(): Promise<EventStore> {
  schema = `crash_${randomUUID().replaceAll('-', '')}`
  return value(await openPostgresStore({ url: server.url, schema, partition: 2_500 }))
}

/**
 * Checks that every acknowledged event is stored once, in a log without gaps, and that the projections match
 * the log.
 */
async function check(store: EventStore, writers: readonly Child[]): Promise<void> {
  const stored = await readEvents(store)
  expect(stored.map(({ seq }) => seq)).toEqual(stored.map((_, n) => n + 1))
  const keys = new Set(stored.map(({ key }) => key))
  expect(keys.size).toBe(stored.length)
  const lost = writers.flatMap(({ acknowledged }) => acknowledged).filter((key) => !keys.has(key))
  expect(lost).toEqual([])
  expect(await projected(store)).toEqual(sorted(fold(stored)))
  expect(value(await store.rebuild({ check: true })).differences).toBe(0)
  expect(value(await store.verify())).toEqual([])
}

describe('several processes that write one PostgreSQL store', () => {
  it('get the same result as a single writer although they send events of the same sessions', async () => {
    const store = await open()
    const writers = [0, 1, 2].map((share) => write(301, 6_000, 3, share))
    for (const each of writers) await each.done()
    await check(store, writers)
    expect(value(await store.head())).toEqual({ first: 1, last: 6_000 })
    await store.close()
  })

  it('lose no acknowledged event or mark when one is killed at any moment', async () => {
    const store = await open()
    const killed: Child[] = []
    const steady = write(302, 9_000, 2, 0)
    for (const round of [1, 2, 3, 4]) {
      const other = write(302, 9_000, 2, 1)
      await other.reached(round * 200)
      await other.kill()
      killed.push(other)
    }
    await steady.done()
    await check(store, [steady, ...killed])
    const last = write(302, 9_000, 2, 1)
    await last.done()
    await check(store, [steady, ...killed, last])
    expect(value(await store.head()).last).toBe(9_000)
    expect(value(await store.marks(['writer 1']))).toEqual({ 'writer 1': '4500' })
    await store.close()
  })

  it('survive a restart of the server, and so do subscribers', async () => {
    const store = await open()
    const follower = new Child('follow', server.url, schema, 9_000)
    const writers = [0, 1, 2].map((share) => write(303, 9_000, 3, share))
    for (const share of [600, 1_400]) {
      await Promise.all(writers.map((each) => each.reached(share)))
      await server.kill()
      await setTimeout(100)
      await server.start()
    }
    for (const each of writers) await each.done()
    await follower.done()
    expect(follower.seqs).toEqual(Array.from({ length: 9_000 }, (_, n) => n + 1))
    await check(store, writers)
    await store.close()
  })
})
