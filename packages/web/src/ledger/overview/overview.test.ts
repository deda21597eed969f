import { expect, it } from 'vitest'
import { claim, outcome, skill } from '../ledger.test-kit.ts'
import { marksOf, orderSkills } from '../order-skills.ts'
import { typeBars } from './types.ts'
import { worthALook } from './worth-a-look.ts'

it('shows claims that did not hold first, then those that were looked up, each once', () => {
  const failed = claim({ message_id: 'm1', check: { verdict: 'fails', says: '', evidence: null } })
  const open = claim({ message_id: 'm2' })
  const holds = claim({ message_id: 'm3', check: { verdict: 'holds', says: '', evidence: null } })
  const shown = worthALook([failed], [open, failed, holds], 5)
  expect(shown.map(({ message_id }) => message_id)).toEqual(['m1', 'm3', 'm2'])
  expect(worthALook([failed], [open, holds], 2).length).toBe(2)
})

it('shows the types with most agents, and the rest of hundreds as one', () => {
  const rows = Array.from({ length: 200 }, (_, n) =>
    outcome({ type: `t${n}`, agents: 200 - n, functional: 1 }),
  )
  const bars = typeBars(rows.toReversed(), 5)
  expect(bars.map(({ row }) => row.type)).toEqual(['t0', 't1', 't2', 't3', 't4', ''])
  expect(bars.at(-1)).toMatchObject({ types: 195, row: { functional: 195 } })
  expect(bars.reduce((sum, { row }) => sum + row.agents, 0)).toBe((200 * 201) / 2)
})

it('does not call a single type the others, and leaves out one without agents', () => {
  const rows = ['a', 'b', 'c'].map((type) => outcome({ type, agents: 1 }))
  expect(typeBars([...rows, outcome({ type: 'd', agents: 0 })], 2).map(({ row }) => row.type)).toEqual([
    ...['a', 'b', 'c'],
  ])
})

it('puts skills that need somebody before those used most', () => {
  const skills = [
    skill({ skill: 'often', uses: 90 }),
    skill({ skill: 'breaks', uses: 7, verdict: 're-extract' }),
    skill({ skill: 'old', uses: 0, all_uses: 9, verdict: 'archive' }),
    skill({ skill: 'unused', uses: 0, all_uses: 0 }),
  ]
  expect(orderSkills(skills.toReversed()).map(({ skill: name }) => name)).toEqual([
    ...['breaks', 'often', 'old', 'unused'],
  ])
})

it('marks the rates that the rules of the config ask for', () => {
  expect(marksOf({ rules: { validated_over_rate: 0.95, re_extract_under_rate: 0.5 } })).toEqual([0.5, 0.95])
})
