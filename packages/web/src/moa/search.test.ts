import { expect, it } from 'vitest'
import { filterOf, readSearch, toTurn } from './search.ts'

it('reads what an address names, and nothing else', () => {
  expect(readSearch({ turn: 'a1', preset: 'review', more: 'x' })).toEqual({ turn: 'a1', preset: 'review' })
  expect(readSearch({ turn: 12, tab: 'presets', make: '1' })).toEqual({
    turn: '12',
    tab: 'presets',
    make: true,
  })
  expect(readSearch({ turn: [], preset: {}, session: null, tab: 'other', make: 'x', open: '' })).toEqual({})
  expect(readSearch({ session: 'x'.repeat(2_000) }).session?.length).toBe(300)
})

it('asks for the turns of a preset and a session, whatever they are called', () => {
  expect(filterOf({})).toBe('')
  expect(filterOf({ preset: 'a b&c', session: 'ü/1' })).toBe('preset=a+b%26c&session=%C3%BC%2F1')
})

it('keeps whose turns are gone through, and nothing that belongs to one of them', () => {
  const search = { preset: 'review', turn: 'a', against: 'b' }
  expect(toTurn(search, 'c')).toEqual({ preset: 'review', turn: 'c' })
  expect(toTurn(search, undefined)).toEqual({ preset: 'review' })
})
