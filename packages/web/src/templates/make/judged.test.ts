import { expect, it } from 'vitest'
import { judgedOn } from './judged.ts'

it('says how many calls told of which type, the most first and the rest together', () => {
  expect(judgedOn({ terminal: 3, code: 12, unknown: 1, web_extract: 1 })).toBe(
    'Calls: 12 code, 3 terminal, 2 other',
  )
  expect(judgedOn({ code: 0 })).toBe('It called no tools')
})
