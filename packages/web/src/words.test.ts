import { expect, it } from 'vitest'
import { words } from './words.ts'

const now = new Date(2026, 10, 15, 14, 30).getTime()
const before = (ms: number) => words.ago(now - ms, now)

it('formats an age as seconds, hours, a time, a weekday or a date', () => {
  expect([0, 4_000, 130_000, 5 * 3_600_000].map(before)).toEqual(['now', '4 s ago', '2m 10s ago', '5 h ago'])
  expect(before(13 * 3_600_000)).toBe('01:30')
  expect(before(20 * 3_600_000)).toBe('yesterday')
  expect(before(5 * 86_400_000)).toBe('Tue')
  expect(before(10 * 86_400_000)).toBe('5 Nov')
})

it('uses the singular for one thing', () => {
  expect(words.settings.toFix(1, 0)).toBe('1 thing to fix')
  expect(words.settings.toFix(2, 3)).toBe('2 things to fix, 3 to look at')
  expect(words.settings.toFix(0, 1)).toBe('1 thing to look at')
  expect(words.settings.toFix(0, 0)).toBe('nothing to fix')
  expect(words.strips.missed(212)).toBe('Missed 212 events, catching up')
  expect(words.settings.health.pass(1)).toBe('1 check passes')
})

it('contains no exclamation marks, apologies or pleading', () => {
  const said: string[] = []
  const collect = (value: unknown): void => {
    if (typeof value === 'string') said.push(value)
    else if (typeof value === 'object' && value !== null) Object.values(value).forEach(collect)
  }
  collect(words)
  expect(said.length).toBeGreaterThan(150)
  for (const text of said) expect(text).not.toMatch(/!|\bplease\b|\boops\b|\bsorry\b/i)
})
