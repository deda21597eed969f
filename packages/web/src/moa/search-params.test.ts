import { expect, it } from 'vitest'
import { readSearch, toQueryString, toTurn } from './search-params.ts'

it('reads valid parameters and drops the rest', () => {
  expect(readSearch({ turn: 'a1', preset: 'review', more: 'x' })).toEqual({ turn: 'a1', preset: 'review' })
  expect(readSearch({ turn: 12, tab: 'presets', make: '1' })).toEqual({
    turn: '12',
    tab: 'presets',
    make: true,
  })
  expect(readSearch({ turn: [], preset: {}, session: null, tab: 'other', make: 'x', open: '' })).toEqual({})
  expect(readSearch({ session: 'x'.repeat(2_000) }).session?.length).toBe(300)
})

it('escapes the names of presets and sessions in the query', () => {
  expect(toQueryString({})).toBe('')
  expect(toQueryString({ preset: 'a b&c', session: 'ü/1' })).toBe('preset=a+b%26c&session=%C3%BC%2F1')
})

it('keeps the preset filter when another turn opens and drops the comparison', () => {
  const search = { preset: 'review', turn: 'a', against: 'b' }
  expect(toTurn(search, 'c')).toEqual({ preset: 'review', turn: 'c' })
  expect(toTurn(search, undefined)).toEqual({ preset: 'review' })
})
