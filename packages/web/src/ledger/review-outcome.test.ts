import type { SkillChange } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { cameOf } from './review-outcome.ts'

const change = (about: Partial<SkillChange>): SkillChange => ({
  ...{ skill: 'one', verdict: 'archive', reason: '', folder: '/skills/one', action: 'archive', says: '' },
  ...{ done: true, problem: null },
  ...about,
})
const told = change({ action: 'none', done: false, problem: 'it is closed for writing' })

it('failed in nothing where all that was asked for is done, whatever else was only told of', () => {
  expect(cameOf({ changes: [change({}), change({ action: 'mark' }), told] })).toEqual({ made: 2, failed: [] })
  expect(cameOf({ changes: [told] })).toEqual({ made: 0, failed: [] })
})

it('keeps what was made apart from what was not', () => {
  const failed = change({ done: false, problem: 'There is such a folder already.' })
  expect(cameOf({ changes: [change({}), failed, told] })).toEqual({ made: 1, failed: [failed] })
})
