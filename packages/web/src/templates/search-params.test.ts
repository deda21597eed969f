import { expect, it } from 'vitest'
import { readSearch } from './search-params.ts'

it('reads the type and the open template and drops the rest', () => {
  expect(readSearch({ type: 'code', name: 'code_atlas', other: 1 })).toEqual({
    type: 'code',
    name: 'code_atlas',
  })
  expect(readSearch({ type: 'poem', name: '' })).toEqual({})
  expect(readSearch({ type: ['code'], name: { a: 1 } })).toEqual({})
})

it('reads the place only together with a name', () => {
  expect(readSearch({ name: 'same', place: 'hermes' })).toEqual({ name: 'same', place: 'hermes' })
  expect(readSearch({ name: 'same', place: 'nowhere' })).toEqual({ name: 'same' })
  expect(readSearch({ place: 'hermes' })).toEqual({})
})

it('keeps a numeric name as text', () => {
  expect(readSearch({ name: 2026 })).toEqual({ name: '2026' })
})
