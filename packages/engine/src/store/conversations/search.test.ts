import { expect, it } from 'vitest'
import { BECOME_ASCII, Search } from './search.ts'

it('requires a document to contain the longest caseless or ASCII part of the search text', () => {
  expect(new Search('Ünd SO "weiter" é').part).toBe('nd so \\"weiter\\" ')
  expect(new Search('大小É大').part).toBe('大小')
  expect(new Search('ÄÖ').part).toBe('')
})

it('lists every other letter whose lower-case form is ASCII or caseless', () => {
  const others: string[] = []
  for (let code = 0x80; code <= 0x10_ff_ff; code += 1) {
    const letter = String.fromCodePoint(code)
    const small = letter.toLowerCase()
    if (small !== letter && new Search(small).part !== '') others.push(letter)
  }
  expect(others).toEqual([...BECOME_ASCII])
})
