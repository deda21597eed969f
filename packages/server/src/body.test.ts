import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { withBody, withBytes } from './body.ts'

const MB = 1_048_576

/** What happens, in its order, when a body has come and others wait for their turn. */
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

describe('a body', () => {
  it('that is large lets others have their turn before it is used', async () => {
    expect(await turnsWith(2 * MB)).toEqual(['others', `${2 * MB} read`])
  })

  it('that is small is used at once', async () => {
    expect(await turnsWith(1_000)).toEqual(['1000 read', 'others'])
  })

  it('in gzip that says how long it is takes no more room than that', async () => {
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

  it('in gzip that is longer or shorter than it says is refused', async () => {
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
