import { expect, it } from 'vitest'
import { checkGlyph, checkWord } from '../claim-check.ts'
import { claim, outcome, skill } from '../ledger.test-kit.ts'
import { orderSkills, rateMarks, selectNotableClaims, typeBars } from './summary-rows.ts'

const checked = (verdict: 'fails' | 'holds') => ({ verdict, says: '', evidence: null })
const failed = claim({ message_id: 'failed', ts: 1, check: checked('fails') })
const open = claim({ message_id: 'open', ts: 2 })
const holds = claim({ message_id: 'holds', ts: 3, check: checked('holds') })
const off = claim({
  ...{ message_id: 'off', ts: 4, check: checked('fails'), evidence_tier: 'ESTIMATE-HTC' },
  estimate: { quantity: 'duration', said: 240_000, took: 90_000, evidence: null },
})

it('orders failed claims before open ones and estimates, each once', () => {
  const named = (claims: Parameters<typeof selectNotableClaims>[0], most = 5) =>
    selectNotableClaims(claims, most).map(({ message_id }) => message_id)
  expect(named([off, open, failed, holds, failed])).toEqual(['failed', 'open', 'off'])
  expect(named([off, open, failed], 2)).toEqual(['failed', 'open'])
  expect(named([claim({ ...open, message_id: 'newer', ts: 9 }), open])).toEqual(['newer', 'open'])
})

it('shows claims that hold only when there are no others', () => {
  expect(selectNotableClaims([holds, open], 5)).toEqual([open])
  expect(selectNotableClaims([holds], 5)).toEqual([holds])
})

it('shows the factor of a wrong estimate instead of calling it false', () => {
  expect([checkWord(off), checkGlyph(off)]).toEqual(['off ×0.4', 'partial'])
  expect([checkWord(failed), checkGlyph(failed)]).toEqual(['did not hold', 'failed'])
  expect(checkWord({ ...off, estimate: null })).toBe('off')
})

it('shows the types with the most agents and combines the rest', () => {
  const rows = Array.from({ length: 200 }, (_, n) =>
    outcome({ type: `t${n}`, agents: 200 - n, functional: 1 }),
  )
  const bars = typeBars(rows.toReversed(), 5)
  expect(bars.map(({ row }) => row.type)).toEqual(['t0', 't1', 't2', 't3', 't4', ''])
  expect(bars.at(-1)).toMatchObject({ types: 195, row: { functional: 195 } })
  expect(bars.reduce((sum, { row }) => sum + row.agents, 0)).toBe((200 * 201) / 2)
})

it('shows a remainder of one type under its own name and skips types without agents', () => {
  const rows = ['a', 'b', 'c'].map((type) => outcome({ type, agents: 1 }))
  expect(typeBars([...rows, outcome({ type: 'd', agents: 0 })], 2).map(({ row }) => row.type)).toEqual([
    ...['a', 'b', 'c'],
  ])
})

it('puts skills that need attention before those used most', () => {
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

it('marks the verdict thresholds of the config', () => {
  expect(rateMarks({ rules: { validated_over_rate: 0.95, re_extract_under_rate: 0.5 } })).toEqual([0.5, 0.95])
})
