import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { createBodyBudget, withBody, withBytes } from './request-body.ts'

const MB = 1_048_576

/** The order of events when a body has arrived and other tasks wait. */
async function turnsWith(bytes: number): Promise<readonly string[]> {
  const order: string[] = []
  const stream = Readable.from([Buffer.alloc(bytes, 'x')], { objectMode: false })
  const incoming = Object.assign(stream, { headers: { 'content-length': String(bytes) } })
  const others = Promise.withResolvers<void>()
  stream.on('end', () =>
    setImmediate(() => {
      order.push('others')
      others.resolve()
    }),
  )
  await withBody(incoming as unknown as IncomingMessage, 32 * MB, (text) => {
    order.push(`${text.length} read`)
  })
  await others.promise
  return order
}

describe('a request body', () => {
  it('that is large lets other tasks run before it is used', async () => {
    expect(await turnsWith(2 * MB)).toEqual(['others', `${2 * MB} read`])
  })

  it('that is small is used at once', async () => {
    expect(await turnsWith(1_000)).toEqual(['1000 read', 'others'])
  })

  it('that is nested too deep is refused and never used', async () => {
    const body = Buffer.from('['.repeat(500_000) + ']'.repeat(500_000))
    const stream = Object.assign(Readable.from([body], { objectMode: false }), { headers: {} })
    const use = vi.fn()
    expect(await withBody(stream as unknown as IncomingMessage, 32 * MB, use)).toMatchObject({
      status: 400,
      detail: 'The body is invalid: is nested deeper than 512 levels.',
    })
    expect(use).not.toHaveBeenCalled()
  })

  it('in gzip takes only its declared size from the budget', async () => {
    const plain = randomBytes(60_000)
    let inside = 0
    const all = Promise.withResolvers<void>()
    const one = () =>
      withBytes(zipped(plain, plain.length), 16 * MB, async (bytes) => {
        inside += 1
        if (inside === 30) all.resolve()
        await all.promise
        return bytes.length
      })
    expect(await Promise.all(Array.from({ length: 30 }, one))).toEqual(Array(30).fill(60_000))
  })

  it('in gzip is refused if it is longer or shorter than its declared size', async () => {
    const plain = Buffer.alloc(5_000, 'x')
    for (const told of [4_999, 5_001, 0])
      expect(await withBytes(zipped(plain, told), MB, () => 'used')).toMatchObject({ status: 400 })
    expect(await withBytes(zipped(plain, 2 * MB), MB, () => 'used')).toMatchObject({ status: 413 })
    expect(await withBytes(zipped(Buffer.alloc(0), 0), MB, () => 'used')).toBe('used')
  })
})

function zipped(plain: Buffer, told: number): IncomingMessage {
  const body = gzipSync(plain)
  const headers = {
    'content-encoding': 'gzip',
    'content-length': String(body.length),
    'x-inflated-length': String(told),
  }
  return Object.assign(Readable.from([body], { objectMode: false }), {
    headers,
  }) as unknown as IncomingMessage
}

describe('a body budget', () => {
  it('admits what fits, and the next in line as soon as another one leaves', async () => {
    const budget = createBodyBudget(100, { waitMs: 10_000, waiting: 10 })
    const first = await budget.enter(60)
    const order: string[] = []
    const second = budget.enter(60).then((leave) => {
      order.push('second')
      return leave
    })
    const third = budget.enter(10).then((leave) => {
      order.push('third')
      return leave
    })
    first?.()
    first?.()
    const leave = await second
    await third
    expect(order).toEqual(['second', 'third'])
    leave?.()
    expect(await budget.enter(90)).toBeTypeOf('function')
  })

  it('reserves half of itself and of its line for other clients', async () => {
    const budget = createBodyBudget(100, { waitMs: 10_000, waiting: 4 })
    const held = await budget.enter(50, 'greedy')
    const waits = [budget.enter(1, 'greedy'), budget.enter(1, 'greedy')]
    expect(await budget.enter(1, 'greedy')).toBeUndefined()
    expect(await budget.enter(50, 'other')).toBeTypeOf('function')
    held?.()
    for (const one of waits) expect(await one).toBeTypeOf('function')
  })

  it('admits a single body of any client that is larger than half', async () => {
    const budget = createBodyBudget(100, { waitMs: 10, waiting: 4 })
    expect(await budget.enter(80, 'one')).toBeTypeOf('function')
    expect(await budget.enter(10, 'one')).toBeUndefined()
  })

  it('refuses a body that waits too long, finds a full line, or never fits', async () => {
    const budget = createBodyBudget(100, { waitMs: 20, waiting: 1 })
    const first = await budget.enter(100)
    const waits = budget.enter(1)
    expect(await budget.enter(1)).toBeUndefined()
    expect(await waits).toBeUndefined()
    expect(await budget.enter(101)).toBeUndefined()
    first?.()
    expect(await budget.enter(100)).toBeTypeOf('function')
  })
})
