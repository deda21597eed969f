import { expect, it } from 'vitest'
import { unlockedAt } from './achievements.test-kit.ts'
import { newestOf, recentOf } from './choose.ts'
import { msOf } from './moment.ts'

const ODD = [1e14, -1e14, Number.NaN, Number.POSITIVE_INFINITY, null, undefined]

it('is what a date can be of, and nothing else', () => {
  expect(msOf(1_767_225_600)).toBe(1_767_225_600_000)
  expect(ODD.map(msOf)).toEqual(ODD.map(() => null))
})

it('is passed over as a date where it is none', () => {
  const odd = unlockedAt('odd', 1e14, { tier_dates: { Copper: 1e14, Silver: 200 } })
  expect(newestOf(odd)).toBe(200_000)
  expect(recentOf([unlockedAt('none', 1e14), unlockedAt('some', 1)], 3).map(({ id }) => id)).toEqual(['some'])
})
