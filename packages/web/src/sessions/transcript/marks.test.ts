import { describe, expect, it } from 'vitest'
import { marksOf, wordsIn } from './marks.ts'

const marked = (text: string, typed: string) =>
  marksOf(text, wordsIn(typed)).map(([from, to]) => text.slice(from, to))

describe('the words that were searched', () => {
  it('are marked in any case, where a word begins', () => {
    expect(marked('Cannot do, do NOT. Nothing.', 'not')).toEqual(['NOT', 'Not'])
    expect(marked('/definitely/not/here', 'not definitely')).toEqual(['definitely', 'not'])
  })

  it('are marked anywhere where no spaces are written', () => {
    expect(marked('東京都に行く', '京都')).toEqual(['京都'])
  })

  it('are words alone: no sign is taken for a pattern', () => {
    expect(wordsIn('a.* (b|c) [')).toEqual(['a', 'b', 'c'])
    expect(marked('nothing here', '.*')).toEqual([])
  })
})

it('marks letters with accents however they are put together', () => {
  const text = 'il faut réparer'
  for (const form of ['NFC', 'NFD'] as const)
    for (const typed of ['NFC', 'NFD'] as const)
      expect(marked(text.normalize(form), 'Réparer'.normalize(typed))).toEqual(['réparer'.normalize(form)])
})
