import { isPath } from './path.ts'

/** How a value stands after its name: `"quoted"`, `name=tight`, or `name: loose`. */
export type Setting = 'quoted' | 'tight' | 'loose'

/** What a name says of its value: anything may be a password, but a token is long and random. */
export type Strength = 'password' | 'token'

const ORDINARY = new Set([
  ...['true', 'false', 'null', 'none', 'nil', 'undefined', 'string', 'number', 'boolean', 'object', 'text'],
  ...['required', 'optional', 'default', 'empty', 'missing', 'invalid', 'hidden', 'redacted', 'example'],
  ...['password', 'passwd', 'passphrase', 'secret', 'token', 'apikey', 'api_key', 'value'],
])
const LONGEST_ORDINARY = 10
/** Enough of a value to judge it by; what is judged a secret goes whole. */
const JUDGED = 128

/** Words of labels and messages: `"password": "Enter your password"`. */
const TOLD =
  /\b(?:password|passphrase|passwd|enter|your|must|should|cannot|characters?|required|optional|invalid|incorrect|wrong|missing|forgot|reset|confirm|does|is|are|was|not|if|when)\b/i

const DIGIT = 1
const UPPER = 2
const LOWER = 4
const BLANK = 8
const CODE = 16
const DOT = 32
const JOINT = 64
const SYMBOL = 128

const KIND = kinds([
  [DIGIT, '0123456789'],
  [UPPER, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [LOWER, 'abcdefghijklmnopqrstuvwxyz'],
  [BLANK, ' \t'],
  [CODE, '()[]{}<>'],
  [DOT, '.'],
  [JOINT, '_-'],
  [SYMBOL, '!@#%^*+=?&$'],
])

/** Whether a value is worth hiding: not a placeholder, a path, a type, a variable or a word of a sentence. */
export function looksSecret(whole: string, setting: Setting, strength: Strength): boolean {
  const value = whole.length > JUDGED ? whole.slice(0, JUDGED) : whole
  if (value.length < (strength === 'password' ? 4 : 8)) return false
  if (isPlaceholder(value, setting)) return false
  if (value.length <= LONGEST_ORDINARY && ORDINARY.has(value.toLowerCase())) return false
  const seen = survey(value)
  if (seen & BLANK) return setting === 'quoted' && strength === 'password' && !TOLD.test(value)
  if (setting !== 'quoted' && seen & CODE) return false
  if (seen & DIGIT) return true
  if (strength === 'token') return value.length >= 16 && (seen & (UPPER | LOWER | DOT)) === (UPPER | LOWER)
  if (setting === 'quoted') return true
  return (seen & SYMBOL) !== 0 || (setting === 'tight' && (seen & (JOINT | DOT)) === 0)
}

/** What stands for a value that is elsewhere: a variable, a path, a format, a marker, stars. */
export function isPlaceholder(value: string, setting: Setting): boolean {
  switch (value[0]) {
    case '$':
      // A hash of a password (`$2b$10$…`) begins like a variable, and `$tr0ng!` has what no variable has.
      return !/^\$[\w-]+\$|^\$\w*[!#^*@]/.test(value)
    case '%':
      return /^%(?:[a-z]$|[a-z][^\w]|\w+%|[({]|$)/.test(value)
    case '<':
      return setting !== 'quoted' || value.includes('>')
    case '(':
      return setting !== 'quoted' || value.endsWith(')')
    case '*':
      return setting !== 'quoted' || value.startsWith('**')
    case '.':
      return /^\.(?:\.|\/|[a-z_]*$)/.test(value)
    case '~':
      return /^~(?:$|[a-z_-]*\/)/.test(value)
    case '-':
      return setting === 'loose' || /^-(?:-|>|[a-z-]*$)/.test(value)
    case '&':
    case '|':
      return setting !== 'quoted'
    case '{':
    case '[':
      return true
    default:
      return isPath(value)
  }
}

function survey(value: string): number {
  let seen = 0
  for (let at = 0; at < value.length; at++) seen |= KIND[value.charCodeAt(at) & 127] as number
  return seen
}

function kinds(groups: readonly (readonly [kind: number, characters: string])[]): Uint8Array {
  const table = new Uint8Array(128)
  for (const [kind, characters] of groups) {
    for (const character of characters) table[character.charCodeAt(0)] = kind
  }
  return table
}
