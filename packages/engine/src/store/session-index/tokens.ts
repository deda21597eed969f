import { DatabaseSync } from 'node:sqlite'

/**
 * Splits a text into words exactly as FTS5 does (`unicode61 remove_diacritics 2`), for an engine without
 * FTS5. Which characters belong to words and what they fold to follows an old Unicode version, so SQLite
 * itself is asked once per character.
 */
export function tokenize(text: string): readonly string[] {
  if (!NOT_ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? NONE
  const folded = text.replace(TO_FOLD, (run) =>
    NOT_ASCII.test(run) ? foldRun(run, text) : run.toLowerCase(),
  )
  return folded.match(WORD) ?? NONE
}

const NONE: readonly string[] = []
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what ASCII ends with.
const NOT_ASCII = /[^\x00-\x7f]/
// biome-ignore lint/suspicious/noControlCharactersInRegex: it is what ASCII ends with.
const TO_FOLD = /[A-Z]+|[^\x00-\x7f]+/g
const ASCII_WORD = /[a-z0-9]+/g
const WORD = /[a-z0-9\u0080-\uffff]+/g

/** Maps a character to a space when it belongs to no word, and to nothing when it is ignored within one. */
const folds = new Map<string, string>()

function foldRun(run: string, text: string): string {
  let folded = ''
  for (const letter of run) {
    let fold = folds.get(letter)
    if (fold === undefined) {
      ask(text)
      fold = folds.get(letter) ?? ' '
    }
    folded += fold
  }
  return folded
}

let tokenizer: ReturnType<typeof createTokenizer> | undefined

function createTokenizer() {
  const db = new DatabaseSync(':memory:')
  db.exec(`CREATE VIRTUAL TABLE words USING fts5 (text, content = '', tokenize = "unicode61 remove_diacritics 2");
    CREATE VIRTUAL TABLE terms USING fts5vocab (words, 'instance')`)
  return {
    put: db.prepare('INSERT INTO words (rowid, text) VALUES (?, ?)'),
    terms: db.prepare('SELECT doc, term FROM terms'),
    clear: db.prepare("INSERT INTO words (words) VALUES ('delete-all')"),
  }
}

/**
 * Asks about all characters of a text at once. Placed between two letters, a character separates them, is
 * ignored, or is a letter too.
 */
function ask(text: string): void {
  tokenizer ??= createTokenizer()
  const letters = [...new Set(text)].filter((letter) => NOT_ASCII.test(letter) && !folds.has(letter))
  for (const [n, letter] of letters.entries()) {
    tokenizer.put.run(n, `a${letter}b`)
    folds.set(letter, ' ')
  }
  for (const { doc, term } of tokenizer.terms.all()) {
    const letter = letters[Number(doc)]
    const word = String(term)
    if (letter !== undefined && word.length > 1) folds.set(letter, word.slice(1, -1))
  }
  tokenizer.clear.run()
}
