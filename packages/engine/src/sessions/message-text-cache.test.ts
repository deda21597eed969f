import { expect, it } from 'vitest'
import { MessageTexts } from './message-text-cache.ts'

const of = (n: number) => ({ source: 'hermes', session_id: 's', id: `m${n}`, n })

it('keeps the most recently read texts within its size limit', () => {
  const texts = new MessageTexts()
  for (let n = 0; n < 100; n += 1) {
    texts.set(of(n), 'x'.repeat(60_000))
    expect(texts.get(of(0)), `after ${n}`).toHaveLength(60_000)
  }
  expect(texts.get(of(1))).toBeUndefined()
  expect(texts.get(of(99))).toHaveLength(60_000)
  texts.set(of(99), null)
  expect(texts.get(of(99))).toBeNull()
  texts.set(of(100), 'x'.repeat(1_000_000))
  expect(texts.get(of(100))?.length).toBeLessThan(100_000)
  texts.clear()
  expect(texts.get(of(0))).toBeUndefined()
})
