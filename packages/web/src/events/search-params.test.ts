import { expect, it } from 'vitest'
import { readSearch, toFilter } from './search-params.ts'

it('reads valid parameters and drops the rest', () => {
  expect(readSearch({ kind: 'usage,claim', failed: 1, event: 68_403, text: '' })).toEqual({
    kind: 'usage,claim',
    failed: true,
    event: 68_403,
  })
  expect(readSearch({ event: 'x', failed: 'maybe', source: ['a'], text: null })).toEqual({})
  expect(readSearch({ event: -1 })).toEqual({})
})

it('keeps ids that look like numbers as text', () => {
  expect(readSearch({ session: 42 })).toEqual({ session: '42' })
})

it('builds the filter without the open event', () => {
  expect(toFilter({ kind: 'usage,,claim', event: 3 })).toEqual({ kinds: ['usage', 'claim'] })
  expect(toFilter({ kind: ',' })).toEqual({})
})
