import type { IncomingMessage } from 'node:http'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { withBody } from './body.ts'

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
})
