import { expect, it } from 'vitest'
import { beginOf, cleared, isNarrowed, queryOf, readSearch, spanOf, toTab } from './search.ts'

const NOW = new Date(2026, 10, 16, 14, 30).getTime()

it('reads the tab, the span and what narrows it, and nothing else', () => {
  expect(readSearch({ tab: 'agents', days: 7, outcome: 'none', flagged: true, type: 404, other: 1 })).toEqual(
    {
      tab: 'agents',
      days: '7',
      outcome: 'none',
      flagged: true,
      type: '404',
    },
  )
  expect(readSearch({ tab: [], days: 'abc', outcome: {}, tier: 'real', check: null, by: 'hour' })).toEqual({})
})

it('leaves out of the address what is so anyway', () => {
  expect(readSearch({ tab: 'overview', days: '30' })).toEqual({})
  expect(spanOf({})).toBe('30')
})

it('begins a span at midnight of its first day, and today is one of its days', () => {
  expect(beginOf('7', NOW)).toBe(new Date(2026, 10, 10).getTime())
  expect(beginOf('all', NOW)).toBeNull()
})

it('asks for the days that were chosen instead of a span, to the end of the last of them', () => {
  const asked = (raw: Record<string, unknown>) =>
    Object.fromEntries(new URLSearchParams(queryOf(readSearch(raw), NOW)))
  const iso = (month: number, day: number) => new Date(2026, month, day).toISOString()
  expect(asked({ from: '2026-11-15', days: '7' })).toEqual({ since: iso(10, 15), until: iso(10, 16) })
  expect(asked({ from: '2026-10-01', to: '2026-10-31' })).toEqual({ since: iso(9, 1), until: iso(10, 1) })
  expect(asked({ from: '2026-11-15', to: '2026-11-01' })).toEqual(asked({ from: '2026-11-15' }))
  expect(readSearch({ from: 'soon', to: '2026-11-01' })).toEqual({})
  const days = { from: '2026-11-14', to: '2026-11-15' }
  expect(toTab({ ...days, model: 'x' }, 'costs')).toEqual({ tab: 'costs', ...days })
})

it('asks for a session by its id, whether the address has its key or its id', () => {
  const asked = (session: string) =>
    Object.fromEntries(new URLSearchParams(queryOf({ days: 'all', session }, NOW)))
  expect(asked('claude-code~a%7Eb')).toEqual({ source: 'claude-code', session: 'a~b' })
  expect(asked('a-b')).toEqual({ session: 'a-b' })
  expect(asked('%zz~a')).toEqual({ session: '%zz~a' })
})

it('takes the span and whose sessions count to another tab, and leaves the rest', () => {
  const search = readSearch({ tab: 'agents', days: '90', project: 'atlas', outcome: 'fail', model: 'x' })
  expect(toTab(search, 'costs')).toEqual({ tab: 'costs', days: '90', project: 'atlas' })
  expect(toTab(search, 'overview')).toEqual({ days: '90', project: 'atlas' })
})

it('knows what narrows a tab, and clears that alone', () => {
  const costs = readSearch({ tab: 'costs', by: 'model', outcome: 'fail' })
  expect(isNarrowed(costs)).toBe(false)
  const agents = readSearch({ tab: 'agents', days: '7', outcome: 'fail' })
  expect(isNarrowed(agents)).toBe(true)
  expect(readSearch({ ...agents, ...cleared(agents) })).toEqual({ tab: 'agents', days: '7' })
})
