import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it, vi } from 'vitest'
import { withBody, withBytes } from './request-body.ts'

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
      detail: 'The body is wrong: is nested deeper than 512 levels.',
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
