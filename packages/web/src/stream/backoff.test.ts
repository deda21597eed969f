import fc from 'fast-check'
import { expect, it } from 'vitest'
import { backoff } from './backoff.ts'

it('stays between 1 and 30 seconds for any number of failures', () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
      const wait = backoff(failures, () => random)
      expect(wait).toBeGreaterThanOrEqual(1_000)
      expect(wait).toBeLessThanOrEqual(30_000)
    }),
  )
})

it('doubles until it reaches the longest wait', () => {
  expect([1, 2, 3, 4, 5, 6, 7].map((failures) => backoff(failures, () => 1))).toEqual([
    1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
  ])
})
