import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from './achievements.test-kit.ts'
import { readState } from './unlock-book.ts'

const read = (unlocks: object, more: object = {}) => {
  const file = join(tempFolder(), 'state.json')
  writeFileSync(file, JSON.stringify({ unlocks, ...more }))
  return readState(file)
}

describe('state.json', () => {
  it('yields no date that is invalid or in the future', () => {
    for (const at of [1e14, -1, Number.MAX_VALUE, Date.now() / 1_000 + 3 * 86_400, '5', null])
      expect(read({ patch_wizard: { unlocked_at: at } }, { reset_at: at })).toEqual({
        unlocks: new Map(),
        resetAt: null,
        home: undefined,
      })
    const tiers = { Copper: 6, Silver: 1e14, Gold: -4, Tin: 5 }
    expect(read({ patch_wizard: { unlocked_at: 5, first_tier: 'Copper', tiers } }).unlocks).toEqual(
      new Map([
        [
          'patch_wizard',
          { unlocked_at: 5_000, first_tier: 'Copper', evidence: null, tiers: { Copper: 6_000 } },
        ],
      ]),
    )
  })
})
