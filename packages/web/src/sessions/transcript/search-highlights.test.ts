import { describe, expect, it } from 'vitest'
import { findMarks, wordsIn } from './search-highlights.ts'

const marked = (text: string, typed: string) =>
  findMarks(text, wordsIn(typed)).map(([from, to]) => text.slice(from, to))

describe('search highlights', () => {
  it('match in any case at the start of a word', () => {
    expect(marked('Cannot do, do NOT. Nothing.', 'not')).toEqual(['NOT', 'Not'])
    expect(marked('/definitely/not/here', 'not definitely')).toEqual(['definitely', 'not'])
  })

  it('match anywhere in a script without spaces', () => {
    expect(marked('東京都に行く', '京都')).toEqual(['京都'])
  })

  it('ignore punctuation and pattern characters', () => {
    expect(wordsIn('a.* (b|c) [')).toEqual(['a', 'b', 'c'])
    expect(marked('nothing here', '.*')).toEqual([])
  })
})

it('highlights accented letters in composed and decomposed form', () => {
  const text = 'il faut réparer'
  for (const form of ['NFC', 'NFD'] as const)
    for (const typed of ['NFC', 'NFD'] as const)
      expect(marked(text.normalize(form), 'Réparer'.normalize(typed))).toEqual(['réparer'.normalize(form)])
})
