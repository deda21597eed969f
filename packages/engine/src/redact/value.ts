/** Tells how a value follows its name: `"quoted"`, `name=tight`, or `name: loose`. */
export type Setting = 'quoted' | 'tight' | 'loose'

/** Tells what the name implies: a password may be anything, but a token is long and random. */
export type Strength = 'password' | 'token'

const ORDINARY = new Set([
  ...['true', 'false', 'null', 'none', 'nil', 'undefined', 'string', 'number', 'boolean', 'object', 'text'],
  ...['yes', 'off', 'any', 'new', 'old', 'get', 'set', 'key'],
  ...['required', 'optional', 'default', 'empty', 'missing', 'invalid', 'hidden', 'redacted', 'example'],
  ...['password', 'passwd', 'passphrase', 'secret', 'token', 'apikey', 'api_key', 'value'],
])
const LONGEST_ORDINARY = 10
/** The first characters are enough to judge a value. A secret is then replaced as a whole. */
const JUDGED = 128

/** Words of labels and messages: `"password": "Enter your password"`. */
const PROSE =
  /\b(?:password|passphrase|passwd|enter|your|must|should|cannot|characters?|required|optional|invalid|incorrect|wrong|missing|forgot|reset|confirm|does|is|are|was|not|if|when)\b/i

const DIGIT = 1
const UPPER = 2
const LOWER = 4
const BLANK = 8
const CODE = 16
const DOT = 32
const JOINT = 64
const SYMBOL = 128

const KIND = createKindTable([
  [DIGIT, '0123456789'],
  [UPPER, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
  [LOWER, 'abcdefghijklmnopqrstuvwxyz'],
  [BLANK, ' \t'],
  [CODE, '()[]{}<>'],
  [DOT, '.'],
  [JOINT, '_-'],
  [SYMBOL, '!@#%^*+=?&$'],
])

/**
 * Returns true when a value looks secret rather than like a placeholder, a path, a type, a variable or a
 * word.
 */
export function looksSecret(whole: string, setting: Setting, strength: Strength): boolean {
  const value = whole.length > JUDGED ? whole.slice(0, JUDGED) : whole
  if (value.length < (strength === 'token' ? 8 : setting === 'quoted' ? 3 : 4)) return false
  if (isPlaceholder(value, setting)) return false
  if (value.length <= LONGEST_ORDINARY && ORDINARY.has(value.toLowerCase())) return false
  const seen = collectKinds(value)
  if (seen & BLANK) return setting === 'quoted' && strength === 'password' && !PROSE.test(value)
  if (setting !== 'quoted' && seen & CODE) return false
  if (seen & DIGIT) return true
  if (strength === 'token') return value.length >= 16 && (seen & (UPPER | LOWER | DOT)) === (UPPER | LOWER)
  if (setting === 'quoted') return true
  return (seen & SYMBOL) !== 0 || (setting === 'tight' && (seen & (JOINT | DOT)) === 0)
}

/**
 * Returns true when the value only refers to another place: a variable, a path, a format, a marker,
 * asterisks.
 */
export function isPlaceholder(value: string, setting: Setting): boolean {
  switch (value[0]) {
    case '$':
      // A password hash (`$2b$10$…`) begins like a variable, and `$tr0ng!` contains characters that no
      // variable has.
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

function collectKinds(value: string): number {
  let seen = 0
  for (let at = 0; at < value.length; at++) seen |= KIND[value.charCodeAt(at) & 127] as number
  return seen
}

function createKindTable(groups: readonly (readonly [kind: number, characters: string])[]): Uint8Array {
  const table = new Uint8Array(128)
  for (const [kind, characters] of groups) {
    for (const character of characters) table[character.charCodeAt(0)] = kind
  }
  return table
}

const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/])/
const BASE64_END = /^[A-Za-z0-9+/]{16,}={1,2}$/
const CHANCE_LENGTH = 10

/** A base64 key may begin with a slash too, but its parts are not names. */
function isPath(value: string): boolean {
  if (!ABSOLUTE.test(value)) return false
  return !BASE64_END.test(value) && !value.split(/[^A-Za-z0-9+]/).some(isChance)
}

/** Returns true for an irregular mix of upper-case letters, lower-case letters and digits. */
function isChance(part: string): boolean {
  if (part.length < CHANCE_LENGTH) return false
  if (!/[a-z]/.test(part) || !/[A-Z]/.test(part) || !/[0-9]/.test(part)) return false
  const turns = part.match(/[a-z](?=[^a-z])|[A-Z](?=[^A-Za-z])|[0-9](?=[^0-9])|[+]/g)?.length ?? 0
  return turns >= part.length * 0.25
}
