import { expect, it } from 'vitest'
import {
  clearFilters,
  isNarrowed,
  readSearch,
  selectedSpan,
  spanBegin,
  toQueryString,
  toTab,
} from './search-params.ts'

const NOW = new Date(2026, 10, 16, 14, 30).getTime()

it('reads the tab, the time range and valid filters and drops the rest', () => {
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

it('leaves default values out of the address', () => {
  expect(readSearch({ tab: 'overview', days: '30' })).toEqual({})
  expect(selectedSpan({})).toBe('30')
})

it('starts a time range at midnight and counts today as one of its days', () => {
  expect(spanBegin('7', NOW)).toBe(new Date(2026, 10, 10).getTime())
  expect(spanBegin('all', NOW)).toBeNull()
})

it('requests chosen days to the end of the last one instead of a time range', () => {
  const asked = (raw: Record<string, unknown>) =>
    Object.fromEntries(new URLSearchParams(toQueryString(readSearch(raw), NOW)))
  const iso = (month: number, day: number) => new Date(2026, month, day).toISOString()
  expect(asked({ from: '2026-11-15', days: '7' })).toEqual({ since: iso(10, 15), until: iso(10, 16) })
  expect(asked({ from: '2026-10-01', to: '2026-10-31' })).toEqual({ since: iso(9, 1), until: iso(10, 1) })
  expect(asked({ from: '2026-11-15', to: '2026-11-01' })).toEqual(asked({ from: '2026-11-15' }))
  expect(readSearch({ from: 'soon', to: '2026-11-01' })).toEqual({})
  const days = { from: '2026-11-14', to: '2026-11-15' }
  expect(toTab({ ...days, model: 'x' }, 'costs')).toEqual({ tab: 'costs', ...days })
})

it('requests a session by its id, whether the address has its key or its id', () => {
  const asked = (session: string) =>
    Object.fromEntries(new URLSearchParams(toQueryString({ days: 'all', session }, NOW)))
  expect(asked('claude-code~a%7Eb')).toEqual({ source: 'claude-code', session: 'a~b' })
  expect(asked('a-b')).toEqual({ session: 'a-b' })
  expect(asked('%zz~a')).toEqual({ session: '%zz~a' })
})

it('keeps the time range and the project on another tab and drops other filters', () => {
  const search = readSearch({ tab: 'agents', days: '90', project: 'atlas', outcome: 'fail', model: 'x' })
  expect(toTab(search, 'costs')).toEqual({ tab: 'costs', days: '90', project: 'atlas' })
  expect(toTab(search, 'overview')).toEqual({ days: '90', project: 'atlas' })
})

it('knows the filters of a tab and clears only those', () => {
  const costs = readSearch({ tab: 'costs', by: 'model', outcome: 'fail' })
  expect(isNarrowed(costs)).toBe(false)
  const agents = readSearch({ tab: 'agents', days: '7', outcome: 'fail' })
  expect(isNarrowed(agents)).toBe(true)
  expect(readSearch({ ...agents, ...clearFilters(agents) })).toEqual({ tab: 'agents', days: '7' })
})
