import { cookiesAt } from './headers.ts'
import type { Secret, Shape } from './shape.ts'
import { isPlaceholder } from './value.ts'
import { type Word, wordsOf } from './words.ts'

/** What an option's value is: a secret, a `user:secret`, or cookies. */
type Kind = 'secret' | 'pair' | 'cookies'

interface Command {
  readonly name: string
  /** The letter of an option: `-p X`, `-pX`, `-sp X`. */
  readonly letters?: Readonly<Record<string, Kind>>
  /** Letters without a value, which may stand before: `-sSu X`. */
  readonly flags?: string
  /** Only `-pX`: what follows `-p` after a blank is something else. */
  readonly attached?: true
  readonly long?: Readonly<Record<string, Kind>>
  /** Its options end with the first word that is none: there another command begins. */
  readonly leading?: true
  /** What must stand before the command, at the end of so many characters. */
  readonly after?: RegExp
}

const secretOption = { p: 'secret' } as const
const REGISTRY =
  /(?:^|[\s;&|"'`(/])(?:docker|podman|nerdctl|buildah|skopeo|helm|oras|crane|az|oc)\s[^;&|\n]*$/

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
const WORD_BEFORE = /[\w.-]/

export const commandShapes: readonly Shape[] = COMMANDS.map((command) => ({
  literal: command.name,
  look: (text, start, end) => {
    if (!stands(command, text, start, end)) return end
    const secrets: Secret[] = []
    let until = end
    let awaited: Kind | undefined
    for (const word of wordsOf(text, end)) {
      until = word.end
      const kind: Kind | undefined = awaited
      awaited = undefined
      if (kind !== undefined && text[word.start] !== '-') secrets.push(...secretsOf(text, word, kind))
      else if (text[word.start] === '-') {
        const option = optionOf(command, text, word)
        if (option?.value) secrets.push(...secretsOf(text, option.value, option.kind))
        else awaited = option?.kind
      } else if (command.leading) break
    }
    return secrets.length > 0 ? { secrets, until } : until
  },
}))

function stands(command: Command, text: string, start: number, end: number): boolean {
  const last = command.name.endsWith(' ') ? end - 1 : end
  if (text[last] !== ' ' && text[last] !== '\t') return false
  if (start > 0 && WORD_BEFORE.test(text[start - 1] ?? '')) return false
  return command.after === undefined || command.after.test(text.slice(Math.max(0, start - BEFORE), start))
}

interface Option {
  readonly kind: Kind
  /** Absent where the next word is the value. */
  readonly value?: Word
}

const LONG = /--([\w-]{2,24})(=?)/y
const SHORT = /-([A-Za-z0-9]{1,12})/y

function optionOf(command: Command, text: string, word: Word): Option | undefined {
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

function secretsOf(text: string, word: Word, kind: Kind): readonly Secret[] {
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
