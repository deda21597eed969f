import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { tokenize } from './tokens.ts'

/** Returns the words of a text as FTS5 splits it. */
function wordsIn(texts: readonly string[]): readonly (readonly string[])[] {
  const db = new DatabaseSync(':memory:')
  db.exec(`CREATE VIRTUAL TABLE words USING fts5 (text, content = '', tokenize = "unicode61 remove_diacritics 2");
    CREATE VIRTUAL TABLE terms USING fts5vocab (words, 'instance'); BEGIN`)
  const put = db.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)')
  for (const [n, text] of texts.entries()) put.run(n, text)
  const words = texts.map((): string[] => [])
  for (const { doc, term } of db.prepare('SELECT doc, term FROM terms ORDER BY doc, offset').all())
    words[Number(doc)]?.push(String(term))
  db.close()
  return words
}

it('splits letters, digits and signs of every script into words like FTS5', () => {
  const texts: string[] = []
  // Accents that stand alone are removed first.
  for (let from = 0; from < 0x11_0000; from += from < 0x1_0000 ? 256 : 4_096) {
    const signs = Array.from({ length: 256 }, (_, n) => from + n)
      .filter((sign) => sign < 0x300 || sign > 0x36f)
      .map((sign) => String.fromCodePoint(sign))
    texts.push(signs.map((sign) => `x${sign}Y ${sign} `).join(''))
  }
  expect(texts.map((text) => [...tokenize(text)])).toEqual(wordsIn(texts))
})

it('splits any text into words like FTS5', () => {
  const texts = [
    '',
    ' ',
    'The Gateway: times_out, v1.2',
    'Straße ΣΊΣΥΦΟΣ İ ﬁ x\ud83dy',
    'a\u0000b',
    '🚀数据 据库—naïve',
  ]
  expect(texts.map((text) => [...tokenize(text)])).toEqual(wordsIn(texts))
})
