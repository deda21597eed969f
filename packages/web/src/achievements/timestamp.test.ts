import { expect, it } from 'vitest'
import { unlockedAt } from './achievements.test-kit.ts'
import { latestUnlock, recentUnlocks } from './selectors.ts'
import { toMilliseconds } from './timestamp.ts'

const ODD = [1e14, -1e14, Number.NaN, Number.POSITIVE_INFINITY, null, undefined]

it('converts seconds to milliseconds and invalid values to null', () => {
  expect(toMilliseconds(1_767_225_600)).toBe(1_767_225_600_000)
  expect(ODD.map(toMilliseconds)).toEqual(ODD.map(() => null))
})

it('ignores invalid unlock dates in the list of recent unlocks', () => {
  const odd = unlockedAt('odd', 1e14, { tier_dates: { Copper: 1e14, Silver: 200 } })
  expect(latestUnlock(odd)).toBe(200_000)
  expect(recentUnlocks([unlockedAt('none', 1e14), unlockedAt('some', 1)], 3).map(({ id }) => id)).toEqual([
    'some',
  ])
})
