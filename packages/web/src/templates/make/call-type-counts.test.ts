import { expect, it } from 'vitest'
import { formatCallTypeCounts } from './call-type-counts.ts'

it('lists call types by frequency and combines unknown ones', () => {
  expect(formatCallTypeCounts({ terminal: 3, code: 12, unknown: 1, web_extract: 1 })).toBe(
    'Calls: 12 code, 3 terminal, 2 other',
  )
  expect(formatCallTypeCounts({ code: 0 })).toBe('The session called no tools')
})
