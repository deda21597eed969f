import { describe, expect, it } from 'vitest'
import { scorerOf } from './score.ts'

const words = [
  { word: 'migration', weight: 6 },
  { word: 'table', weight: 3 },
  { word: 'fix', weight: 1 },
]
const scoreOf = scorerOf(words)

describe('the score of a text', () => {
  it('is about a question with two of its words, or with the one that says most', () => {
    expect(scoreOf('the migration').isAbout).toBe(true)
    expect(scoreOf('a table').isAbout).toBe(false)
    expect(scoreOf('fix the table').isAbout).toBe(true)
    expect(scoreOf('nothing').isAbout).toBe(false)
  })

  it('is higher for rarer words, for more of them, and in a shorter text', () => {
    const score = (text: string) => scoreOf(text).score
    expect(score('migration')).toBeGreaterThan(score('table'))
    expect(score('migration table')).toBeGreaterThan(score('migration'))
    expect(score('migration migration')).toBeGreaterThan(score('migration'))
    expect(score('migration')).toBeGreaterThan(score(`migration ${'x '.repeat(1_000)}`))
    expect(score('nothing')).toBe(0)
  })

  it('finds words that stand by themselves, whatever their case', () => {
    expect(scoreOf('Table, tables and a TABLE').places).toEqual([
      { at: 0, word: 1 },
      { at: 20, word: 1 },
    ])
    expect(scoreOf('table '.repeat(100)).places).toHaveLength(24)
  })
})
