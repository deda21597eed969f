import { expect, it } from 'vitest'
import { BECOME_ASCII, Search } from './search.ts'

it('what a document must have is the longest part that has no case but that of ASCII', () => {
  expect(new Search('Ünd SO "weiter" é').part).toBe('nd so \\"weiter\\" ')
  expect(new Search('大小É大').part).toBe('大小')
  expect(new Search('ÄÖ').part).toBe('')
})

it('no other letter becomes such a part when it is made small', () => {
  const others: string[] = []
  for (let code = 0x80; code <= 0x10_ff_ff; code += 1) {
    const letter = String.fromCodePoint(code)
    const small = letter.toLowerCase()
    if (small !== letter && new Search(small).part !== '') others.push(letter)
  }
  expect(others).toEqual([...BECOME_ASCII])
})
