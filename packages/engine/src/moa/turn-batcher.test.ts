import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createBatcher } from './live-events.ts'

it('batches items without losing or reordering any', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.integer(), { maxLength: 300 }), { maxLength: 20 }),
      async (puts) => {
        const parts: (readonly number[])[] = []
        const { put, drain } = createBatcher<number>((items) => void parts.push(items), 1)
        for (const items of puts) put(...items)
        await drain()
        expect(parts.flat()).toEqual(puts.flat())
        expect(parts.length).toBeLessThanOrEqual(1 + puts.flat().length / 500)
      },
    ),
  )
})

it('flushes on its own and settles when every item was taken', async () => {
  const taken: number[] = []
  const slow = createBatcher<number>(async (items) => {
    await new Promise((done) => setTimeout(done, 20))
    taken.push(...items)
  })
  slow.put(1)
  await expect.poll(() => taken).toEqual([1])
  slow.put(2, 3)
  await slow.drain()
  expect(taken).toEqual([1, 2, 3])
})

it('continues after a batch was rejected', async () => {
  let tries = 0
  const { put, drain } = createBatcher<number>(() => {
    tries += 1
    return Promise.reject(new Error('not now'))
  })
  put(1)
  await drain()
  put(2)
  await drain()
  expect(tries).toBe(2)
})
