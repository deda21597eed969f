import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { indexText, toFtsQuery } from './query-parser.ts'
import { tokenize } from './tokens.ts'

describe('indexText', () => {
  it('leaves words unchanged and splits runs of characters into pairs', () => {
    expect(indexText('plain words, 12')).toBe('plain words, 12')
    expect(indexText('修复数据库')).toBe(' 修复 复数 数据 据库 ')
    expect(indexText('字')).toBe(' 字 ')
  })

  it.each([
    ['an old emoji', '\u{1f680}'],
    ['an emoji of Unicode 14', '\u{1fae1}'],
    ['an emoji of Unicode 16', '\u{1fae9}'],
    ['an emoji of Unicode 17', '\u{1f6d8}'],
    ['an emoji that no Unicode version has yet', '\u{1fafe}'],
    ['an emoji of a block that is still empty', '\u{1fc42}'],
    ['a family, joined', '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}'],
    ['a heart and its variation', '\u2764\ufe0f'],
    ['a flag', '\u{1f1e9}\u{1f1ea}'],
    ['a flag made of tags', '\u{1f3f4}\u{e0067}\u{e0062}\u{e007f}'],
    ['a keycap', '#\ufe0f\u20e3'],
    ['a keycap of a digit', '1\ufe0f\u20e3'],
    ['a skin tone', '\u{1f44d}\u{1f3fd}'],
    ['a skin tone alone', '\u{1f3fd}'],
  ])('separates a word from %s before and after it', (_what, emoji) => {
    const wordsIn = (text: string) => [...tokenize(indexText(text))]
    expect(wordsIn(`deploy${emoji}`)).toEqual(['deploy'])
    expect(wordsIn(`${emoji}deploy`)).toEqual(['deploy'])
    expect(wordsIn(`deploy${emoji}now`)).toEqual(['deploy', 'now'])
    expect(wordsIn(`数据${emoji}库`)).toEqual(['数据', '库'])
    expect(toFtsQuery(`deploy${emoji} `)).toBe('"deploy"')
  })

  it('is the same whether a letter and its marks are one character or several', () => {
    for (const text of ['réparer l’âme', 'データベース', '데이터베이스', 'Việt Nam', 'Ångström'])
      expect(indexText(text.normalize('NFD')), text).toBe(indexText(text))
    expect(indexText('x\u0301y\u0332z')).toBe('xyz')
  })
})

describe('query parser', () => {
  it('requires every word, the last one by its beginning while it is being typed', () => {
    expect(toFtsQuery('fix the bui')).toBe('"fix" "the" "bui" *')
    expect(toFtsQuery('fix the build ')).toBe('"fix" "the" "build"')
  })

  it('keeps quoted words and parts of one word next to each other', () => {
    expect(toFtsQuery('"exit code" ')).toBe('"exit code"')
    expect(toFtsQuery('src/main.ts ')).toBe('"src main ts"')
    expect(toFtsQuery('数据库 ')).toBe('"数据 据库"')
  })

  it('is the same whether a letter and its marks are one character or several', () => {
    for (const typed of ['réparer l’âme ', 'データベース ', '데이터 ', 'x\u0301y '])
      expect(toFtsQuery(typed.normalize('NFD')), typed).toBe(toFtsQuery(typed))
    expect(toFtsQuery('re\u0301parer ')).toBe('"réparer"')
    expect(toFtsQuery('x\u0301y ')).toBe('"xy"')
  })

  it('builds no query from a text without words', () => {
    expect(toFtsQuery('')).toBeUndefined()
    expect(toFtsQuery(' "" -- * ')).toBeUndefined()
  })

  it('builds only quoted words, whatever was typed', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (typed) => {
        const query = toFtsQuery(typed) ?? '"x"'
        expect(query).toMatch(/^("[^"]+" ?)+\*?$/u)
      }),
    )
  })
})
