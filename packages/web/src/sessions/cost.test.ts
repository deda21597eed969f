import { createZeroSpent } from '@panoptes/schema/spent'
import { describe, expect, it } from 'vitest'
import { costNote, costText } from './cost.ts'

describe('the cost of a session', () => {
  const spent = { ...createZeroSpent(), cost_micro_usd: 1_840_000 }

  it('shows the known part and a dash when nothing is known', () => {
    expect(costText(spent)).toBe('$1.84')
    expect(costText({ ...spent, cost_unknown: 2, usage_unknown: 1 })).toBe('$1.84 + 3 unknown')
    expect(costText({ ...spent, cost_micro_usd: 0, cost_unknown: 2 })).toBe('–')
    expect(costText({ ...spent, cost_micro_usd: 0 })).toBe('$0.00')
  })

  it('names the unpriced replies', () => {
    expect(costNote(spent)).toBeUndefined()
    expect(costNote({ ...spent, cost_unknown: 1 })).toBe('1 reply unpriced')
    expect(costNote({ ...spent, cost_micro_usd: 0, usage_unknown: 1 })).toBe('Unpriced')
  })
})
