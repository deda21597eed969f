import { startsWord } from './boundary.ts'
import { blank, characterSet, has, runEnd } from './characters.ts'
import { cookiesAt } from './headers.ts'
import { findClosingQuote, isClosing, parseOpeningQuote } from './quotes.ts'
import type { Secret, Shape } from './shape.ts'
import { isPlaceholder } from './value.ts'

/** The kind of an option's value: a secret, a `user:secret` pair, or cookies. */
type Kind = 'secret' | 'pair' | 'cookies'

interface Command {
  readonly name: string
  /** Single-letter options: `-p X`, `-pX`, `-sp X`. */
  readonly letters?: Readonly<Record<string, Kind>>
  /** Letters without a value, which may precede an option: `-sSu X`. */
  readonly flags?: string
  /** Only `-pX` counts: the word after a separate `-p` is something else. */
  readonly attached?: true
  readonly long?: Readonly<Record<string, Kind>>
  /** The options end at the first other word, where another command begins. */
  readonly leading?: true
  /** This must match at the end of a limited number of characters before the command. */
  readonly after?: RegExp
}

const secretOption = { p: 'secret' } as const
const REGISTRY =
  /(?:^|[\s;&|"'`(/]|\\[a-z])(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az|oc)\s[^;&|\n]*$/

const COMMANDS: readonly Command[] = [
  {
    name: 'curl',
    letters: { u: 'pair', U: 'pair', b: 'cookies' },
    flags: 'sSfkLivIgGjJlNOpqRnaMBZ#012346',
    long: {
      user: 'pair',
      'proxy-user': 'pair',
      cookie: 'cookies',
      'oauth2-bearer': 'secret',
      pass: 'secret',
    },
  },
  ...['http', 'https', 'xh'].map(
    (name) => ({ name: `${name} `, letters: { a: 'pair' }, long: { auth: 'pair' } }) as const,
  ),
  { name: 'wget', long: { password: 'secret', 'http-password': 'secret' } },
  { name: 'sshpass', letters: secretOption, leading: true },
  ...['mysql', 'mysqldump', 'mysqladmin', 'mysqlimport', 'mariadb', 'mariadb-dump', 'mariadb-admin'].map(
    (name) => ({ name, letters: secretOption, attached: true }) as const,
  ),
  ...['mongo', 'mongosh', 'mongodump', 'mongorestore'].map((name) => ({ name, letters: secretOption })),
  { name: 'redis-cli', letters: { a: 'secret' }, long: { pass: 'secret' } },
  { name: 'sqlcmd', letters: { P: 'secret' } },
  ...['ldapsearch', 'ldapadd', 'ldapmodify', 'ldapwhoami'].map(
    (name) => ({ name, letters: { w: 'secret' } }) as const,
  ),
  ...['7z', '7za'].map((name) => ({ name, letters: secretOption, attached: true }) as const),
  ...['zip', 'unzip'].map(
    (name) => ({ name, letters: { P: 'secret' }, flags: 'rjqeomnTC0123456789' }) as const,
  ),
  { name: 'login', letters: secretOption, long: { password: 'secret' }, after: REGISTRY },
]

const BEFORE = 64
const commandName = characterSet('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.-')

export const commandShapes: readonly Shape[] = COMMANDS.map((command) => ({
  literal: command.name,
  look: (text, start, end) => {
    if (!stands(command, text, start, end)) return end
    const secrets: Secret[] = []
    let until = end
    let awaited: Kind | undefined
    for (const word of splitWords(text, end)) {
      until = word.end
      const kind: Kind | undefined = awaited
      awaited = undefined
      if (kind !== undefined && text[word.start] !== '-') secrets.push(...findSecrets(text, word, kind))
      else if (text[word.start] === '-') {
        const option = parseOption(command, text, word)
        if (option?.value) secrets.push(...findSecrets(text, option.value, option.kind))
        else awaited = option?.kind
      } else if (command.leading) break
    }
    return secrets.length > 0 ? { secrets, until } : until
  },
}))

function stands(command: Command, text: string, start: number, end: number): boolean {
  const last = command.name.endsWith(' ') ? end - 1 : end
  if (text[last] !== ' ' && text[last] !== '\t') return false
  if (!startsWord(text, start, commandName)) return false
  return command.after === undefined || command.after.test(text.slice(Math.max(0, start - BEFORE), start))
}

interface Option {
  readonly kind: Kind
  /** This is undefined when the next word is the value. */
  readonly value?: Word
}

const LONG = /--([\w-]{2,24})(=?)/y
const SHORT = /-([A-Za-z0-9]{1,12})/y

function parseOption(command: Command, text: string, word: Word): Option | undefined {
  if (text[word.start + 1] === '-') {
    LONG.lastIndex = word.start
    const [, name = '', equals] = LONG.exec(text) ?? []
    const kind = Object.hasOwn(command.long ?? {}, name) ? command.long?.[name] : undefined
    if (kind === undefined) return undefined
    return equals ? { kind, value: word.from(word.start + 2 + name.length + 1) } : { kind }
  }
  SHORT.lastIndex = word.start
  const letters = SHORT.exec(text)?.[1] ?? ''
  for (let at = 0; at < letters.length; at++) {
    const letter = letters[at] as string
    const kind = Object.hasOwn(command.letters ?? {}, letter) ? command.letters?.[letter] : undefined
    if (kind !== undefined) return optionAt(command, word, word.start + 2 + at, kind)
    if (!command.flags?.includes(letter)) return undefined
  }
  return undefined
}

function optionAt(command: Command, word: Word, from: number, kind: Kind): Option | undefined {
  if (from < word.end) return { kind, value: word.from(from) }
  return command.attached ? undefined : { kind }
}

function findSecrets(text: string, word: Word, kind: Kind): readonly Secret[] {
  if (kind === 'cookies') {
    const found = cookiesAt(text, word.start, false)
    return typeof found === 'object' && 'secrets' in found ? found.secrets : []
  }
  const colon = kind === 'pair' ? text.slice(word.start, word.end).indexOf(':') + 1 : 0
  if (kind === 'pair' && colon === 0) return []
  const { start, end } = word.from(word.start + colon)
  if (end - start < 1 || isPlaceholder(text.slice(start, end), 'quoted')) return []
  return [{ label: 'password', start, end }]
}

/** A word of a command line, without its quotes. */
interface Word {
  readonly start: number
  readonly end: number
  /** Returns the rest of the word from a position within, without quotes around that rest. */
  readonly from: (start: number) => Word
}

const LONGEST_COMMAND = 4_096
const ends = characterSet(';|&\r\n')
const opens = characterSet('=:')
/** Characters that a shell allows after a backslash and JSON does not. */
const escapable = characterSet('$!&*()#;<>|~^%@?{}[] ')

/** Yields the words of a command from here to the end of the command, its line, or the surrounding quotes. */
function* splitWords(text: string, from: number): Generator<Word> {
  const limit = Math.min(text.length, from + LONGEST_COMMAND)
  let at = from
  for (;;) {
    at = skip(text, at, limit)
    if (at >= limit || has(ends, text, at)) return
    const { end, next, last } = findWordEnd(text, at, limit)
    if (end > at) yield wordAt(text, at, end)
    if (last || next <= at) return
    at = next
  }
}

function skip(text: string, from: number, limit: number): number {
  let at = runEnd(blank, text, from, limit)
  while (text[at] === '\\' && (text[at + 1] === '\n' || text[at + 1] === '\r'))
    at = runEnd(blank, text, text.startsWith('\r\n', at + 1) ? at + 3 : at + 2, limit)
  return at
}

interface End {
  readonly end: number
  readonly next: number
  /** This is true when the command ends after this word. */
  readonly last: boolean
}

function findWordEnd(text: string, start: number, limit: number): End {
  let at = start
  while (at < limit && !has(blank, text, at) && !has(ends, text, at)) {
    const opened = parseOpeningQuote(text, at)
    if (opened) {
      const opening = at === start || text[start] === '-' || has(opens, text, at - 1)
      if (!opening || isClosing(text, opened)) return { end: at, next: at, last: true }
      const closed = findClosingQuote(text, opened, limit)
      const after = parseOpeningQuote(text, closed)
      if (after?.quote !== opened.quote || after.backslashes !== opened.backslashes)
        return { end: closed, next: closed, last: true }
      at = after.start
      continue
    }
    if (text[at] === '\\') {
      let run = at
      while (text[run] === '\\') run += 1
      if (!has(escapable, text, run))
        return { end: at, next: at, last: text[run] !== '\n' && text[run] !== '\r' }
      at = run
    }
    at += 1
  }
  return { end: at, next: at, last: false }
}

function wordAt(text: string, place: number, stop: number): Word {
  const opened = parseOpeningQuote(text, place)
  const within = opened !== undefined && opened.start <= stop
  const start = within ? opened.start : place
  const end = within ? Math.min(stop, findClosingQuote(text, opened, stop)) : stop
  return { start, end, from: (later) => wordAt(text, later, end) }
}
