import type { MoaTurn } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { moneyText, spentText, timeText, turnTime } from './format.ts'

it('summarizes a turn with its references, failures, time and cost', () => {
  const slot = (role: string, error: string | null = null) => ({ role, error })
  const turn = {
    id: '0123456789',
    slots: [slot('reference'), slot('reference', 'timeout'), slot('aggregator', 'x')],
    started_at: 1_000,
    ended_at: 3_500,
    cost_micro_usd: 250_000,
    cost_unknown: 0,
  } as unknown as MoaTurn
  expect(spentText(turn)).toBe('turn 01234567 · 2 references · 1 failed · 2.5 s · $0.25')
  expect(spentText({ ...turn, slots: turn.slots.slice(0, 1) })).toBe(
    'turn 01234567 · 1 reference · 2.5 s · $0.25',
  )
  expect(turnTime({ ...turn, ended_at: null })).toBe('–')
})

it('shows unpriced calls as unknown and short times exactly', () => {
  expect([moneyText(0, 0), moneyText(0, 2), moneyText(500_000, 2)]).toEqual([
    '$0.00',
    '–',
    '$0.50 + 2 unknown',
  ])
  expect([null, 999, 1_000, 9_999, 10_000].map(timeText)).toEqual(['–', '999 ms', '1.0 s', '10.0 s', '10 s'])
})
