import { expect, it } from 'vitest'
import { readSearch } from './search.ts'

it('reads the type and the open template, and nothing else', () => {
  expect(readSearch({ type: 'code', name: 'code_atlas', other: 1 })).toEqual({
    type: 'code',
    name: 'code_atlas',
  })
  expect(readSearch({ type: 'poem', name: '' })).toEqual({})
  expect(readSearch({ type: ['code'], name: { a: 1 } })).toEqual({})
})

it('reads the place of the one that is named, and of no other', () => {
  expect(readSearch({ name: 'same', place: 'hermes' })).toEqual({ name: 'same', place: 'hermes' })
  expect(readSearch({ name: 'same', place: 'nowhere' })).toEqual({ name: 'same' })
  expect(readSearch({ place: 'hermes' })).toEqual({})
})

it('takes a name of digits as the name it is', () => {
  expect(readSearch({ name: 2026 })).toEqual({ name: '2026' })
})
