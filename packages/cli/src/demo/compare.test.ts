import { countDay, generateDay } from '@panoptes/engine/demo'
import { describe, expect, it } from 'vitest'
import { compare } from './compare.ts'

const none = countDay().counters()

function day(seed: number, events: number) {
  const counted = countDay()
  for (const event of generateDay({ seed, events })) counted.add(event)
  return counted.counters()
}

describe('comparing counters', () => {
  it('finds no differences between equal counters', () => {
    const { verdict, counters } = compare(day(1, 500), none, day(1, 500))
    expect(verdict.differences).toEqual([])
    expect(counters).toEqual(day(1, 500))
    expect(verdict.table.join('\n')).toMatch(/events +500 +500$/m)
  })

  it('counts only what was added between before and after', () => {
    const before = day(1, 300)
    const after = day(1, 500)
    const between = compare(none, before, after).counters
    expect(between.events).toBe(200)
    expect(compare(between, before, after).verdict.differences).toEqual([])
  })

  it('names the counters that differ', () => {
    const wrong = { ...day(1, 500), tool_calls: 1, by_kind: { odd: 1 } }
    expect(compare(day(1, 500), none, wrong).verdict.differences).toEqual(
      expect.arrayContaining(['tool_calls', 'kind odd', 'kind tool_use']),
    )
  })
})
