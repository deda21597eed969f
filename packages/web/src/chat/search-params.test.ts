import { expect, it } from 'vitest'
import { readSearch } from './search-params.ts'

it('reads the conversation, message and search text from the address', () => {
  expect(readSearch({ c: 'chat-1', m: 'msg-1', q: 'lock', other: 1 })).toEqual({
    c: 'chat-1',
    m: 'msg-1',
    q: 'lock',
  })
  expect(readSearch({ m: 'msg-1' })).toEqual({})
  expect(readSearch({ c: 7, q: '' })).toEqual({ c: '7' })
  expect(readSearch({ c: ['x'], q: {} })).toEqual({})
})

it('drops the conversation when the address asks for a new one', () => {
  for (const value of [true, '1', 'true', 1])
    expect(readSearch({ new: value, c: 'chat-1' })).toEqual({ new: true })
})
