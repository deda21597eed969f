/** Only this many characters of a command are examined. */
const MOST = 65_536
/** The maximum number of commands per line and words per command. */
const MOST_COMMANDS = 512
const MOST_WORDS = 256

/** One simple command of a line, as words without quotes. */
export type Simple = readonly string[]

/**
 * Splits a shell line into simple commands. It knows quotes, escapes, comments and heredocs
 * (`<<EOF`), but no variables or loops: enough to distinguish what is run from what is only
 * mentioned. One pass.
 */
export function simpleCommands(line: string): readonly Simple[] {
  const text = line.slice(0, MOST)
  const made: Simple[] = []
  let words: string[] = []
  let word: string | undefined
  let heredocs: string[] = []
  let at = 0

  const endWord = (): void => {
    if (word !== undefined && words.length < MOST_WORDS) words.push(word)
    word = undefined
  }
  const endCommand = (): void => {
    endWord()
    if (words.length > 0) made.push(words)
    words = []
  }

  while (at < text.length && made.length < MOST_COMMANDS) {
    const sign = text[at] as string
    if (sign === '\\') {
      if (text[at + 1] !== '\n') word = (word ?? '') + (text[at + 1] ?? '')
      at += 2
    } else if (sign === "'" || sign === '"') {
      const end = quoteEnd(text, at)
      word = (word ?? '') + text.slice(at + 1, end)
      at = end + 1
    } else if (sign === '#' && word === undefined) {
      at = lineEnd(text, at)
    } else if (sign === '<' && text[at + 1] === '<' && text[at + 2] !== '<') {
      endWord()
      const named = /^<<-?[ \t]{0,8}['"]?([\w.-]{1,64})/.exec(text.slice(at, at + 80))
      if (named?.[1] !== undefined) heredocs.push(named[1])
      at += named?.[0].length ?? 2
      if (text[at] === "'" || text[at] === '"') at += 1
    } else if (sign === '\n') {
      endCommand()
      at += 1
      for (const end of heredocs) at = skipHeredoc(text, at, end)
      heredocs = []
    } else if (sign === ';' || sign === '|' || sign === '(' || sign === ')') {
      endCommand()
      at += 1
    } else if (sign === '&' && text[at + 1] !== '>' && text[at - 1] !== '>') {
      endCommand()
      at += 1
    } else if (sign === ' ' || sign === '\t' || sign === '\r') {
      endWord()
      at += 1
    } else {
      word = (word ?? '') + sign
      at += 1
    }
  }
  endCommand()
  return made
}

/** Returns the closing quote, or the end of the text. */
function quoteEnd(text: string, at: number): number {
  const quote = text[at] as string
  let end = at + 1
  while (end < text.length && text[end] !== quote) end += text[end] === '\\' && quote === '"' ? 2 : 1
  return Math.min(end, text.length)
}

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf('\n', at)
  return end < 0 ? text.length : end
}

/** Returns the position after a heredoc; the end of the text if it is not closed. */
function skipHeredoc(text: string, from: number, end: string): number {
  let at = from
  while (at < text.length) {
    const next = lineEnd(text, at)
    if (text.slice(at, Math.min(next, at + end.length + 64)).trim() === end) return next + 1
    at = next + 1
  }
  return text.length
}
