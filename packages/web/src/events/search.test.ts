import { expect, it } from 'vitest'
import { filterOf, readSearch } from './search.ts'

it('reads what an address says and passes over what it cannot mean', () => {
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

it('makes the filter from it, without the open event', () => {
  expect(filterOf({ kind: 'usage,,claim', event: 3 })).toEqual({ kinds: ['usage', 'claim'] })
  expect(filterOf({ kind: ',' })).toEqual({})
})
