import type { SkillChange } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { reviewResult } from './review-result.ts'

const change = (about: Partial<SkillChange>): SkillChange => ({
  ...{ skill: 'one', verdict: 'archive', reason: '', folder: '/skills/one', action: 'archive', says: '' },
  ...{ done: true, problem: null },
  ...about,
})
const told = change({ action: 'none', done: false, problem: 'it is closed for writing' })

it('reports no failure when every requested change was applied', () => {
  expect(reviewResult({ changes: [change({}), change({ action: 'mark' }), told] })).toEqual({
    made: 2,
    failed: [],
  })
  expect(reviewResult({ changes: [told] })).toEqual({ made: 0, failed: [] })
})

it('counts applied changes and lists failed ones', () => {
  const failed = change({ done: false, problem: 'There is such a folder already.' })
  expect(reviewResult({ changes: [change({}), failed, told] })).toEqual({ made: 1, failed: [failed] })
})
