import { describe, expect, it } from 'vitest'
import { createScorer } from './score.ts'

const words = [
  { word: 'migration', weight: 6 },
  { word: 'table', weight: 3 },
  { word: 'fix', weight: 1 },
]
const scoreText = createScorer(words)

describe('text score', () => {
  it('counts a text as related with two of the words, or with the most significant one', () => {
    expect(scoreText('the migration').isAbout).toBe(true)
    expect(scoreText('a table').isAbout).toBe(false)
    expect(scoreText('fix the table').isAbout).toBe(true)
    expect(scoreText('nothing').isAbout).toBe(false)
  })

  it('is higher for rarer words, for more of them, and in a shorter text', () => {
    const score = (text: string) => scoreText(text).score
    expect(score('migration')).toBeGreaterThan(score('table'))
    expect(score('migration table')).toBeGreaterThan(score('migration'))
    expect(score('migration migration')).toBeGreaterThan(score('migration'))
    expect(score('migration')).toBeGreaterThan(score(`migration ${'x '.repeat(1_000)}`))
    expect(score('nothing')).toBe(0)
  })

  it('finds words that stand alone, whatever their case', () => {
    expect(scoreText('Table, tables and a TABLE').places).toEqual([
      { at: 0, word: 1 },
      { at: 20, word: 1 },
    ])
    expect(scoreText('table '.repeat(100)).places).toHaveLength(24)
  })
})
