import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indexText, queryOf } from './words.ts'

describe('the text of the index', () => {
  it('leaves words as they are and takes runs of characters apart into pairs', () => {
    expect(indexText('plain words, 12')).toBe('plain words, 12')
    expect(indexText('修复数据库')).toBe(' 修复 复数 数据 据库 ')
    expect(indexText('字')).toBe(' 字 ')
  })

  it('is the same whether a letter and its marks are one character or several', () => {
    for (const text of ['réparer l’âme', 'データベース', '데이터베이스', 'Việt Nam', 'Ångström'])
      expect(indexText(text.normalize('NFD')), text).toBe(indexText(text))
    expect(indexText('x\u0301y\u0332z')).toBe('xyz')
  })
})

describe('a query', () => {
  it('asks for every word, the last one by its beginning while it is being typed', () => {
    expect(queryOf('fix the bui')).toBe('"fix" "the" "bui" *')
    expect(queryOf('fix the build ')).toBe('"fix" "the" "build"')
  })

  it('keeps quoted words and parts of one word next to each other', () => {
    expect(queryOf('"exit code" ')).toBe('"exit code"')
    expect(queryOf('src/main.ts ')).toBe('"src main ts"')
    expect(queryOf('数据库 ')).toBe('"数据 据库"')
  })

  it('is the same whether a letter and its marks are one character or several', () => {
    for (const typed of ['réparer l’âme ', 'データベース ', '데이터 ', 'x\u0301y '])
      expect(queryOf(typed.normalize('NFD')), typed).toBe(queryOf(typed))
    expect(queryOf('re\u0301parer ')).toBe('"réparer"')
    expect(queryOf('x\u0301y ')).toBe('"xy"')
  })

  it('is nothing without a word', () => {
    expect(queryOf('')).toBeUndefined()
    expect(queryOf(' "" -- * ')).toBeUndefined()
  })

  it('is made of words in quotes alone, whatever was typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (typed) => {
        const query = queryOf(typed) ?? '"x"'
        expect(query).toMatch(/^("[^"]+" ?)+\*?$/u)
      }),
    )
  })
})
