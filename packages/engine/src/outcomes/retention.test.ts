import { expect, it } from 'vitest'
import { NOON, value } from './outcomes.test-kit.ts'
import { event, reviewHome } from './outcomes-home.test-kit.ts'

const spent = (n: number) =>
  event('s', 'usage', {
    id: `u${n}`,
    model: 'm',
    input: 100,
    output: 1,
    ts: NOON + n * 1_000,
    source: 'custom',
  })

it('counts a day completely if retention cuts it in the middle, also after a restart in another time zone', async () => {
  const { ledger: store, open } = await reviewHome()
  const tokens = async (review: Awaited<ReturnType<typeof open>>) => {
    value(await review.refresh())
    const { agents } = value(await review.agents({ limit: 10, all: true }))
    const days = value(await review.costs({ by: 'day' }))
    return [agents.map(({ tokens_in }) => tokens_in), days.reduce((sum, { tokens_in }) => sum + tokens_in, 0)]
  }
  value(await store.append(Array.from({ length: 10 }, (_, n) => spent(n))))
  const first = await open()
  expect(await tokens(first)).toEqual([[1_000], 1_000])
  expect(value(await store.retain({ before: NOON + 6_000 }))).toBe(6)
  value(await store.append([spent(10), spent(11), spent(12)]))
  expect(await tokens(first)).toEqual([[1_300], 1_300])
  value(await store.append([spent(13)]))
  expect(await tokens(first)).toEqual([[1_400], 1_400])
  await first.close()
  const second = await open({ zone: 'Pacific/Kiritimati' })
  expect(await tokens(second)).toEqual([[1_400], 1_400])
  expect(value(await store.retain({ before: NOON + 12_000 }))).toBe(6)
  value(await store.append([spent(14)]))
  expect(await tokens(second)).toEqual([[1_500], 1_500])
})
