import { has, setOf } from './characters.ts'

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

const PLACEHOLDER = setOf('$<{%*[(/.~&|-')

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
export function looksSecret(value: string, setting: Setting, strength: Strength): boolean {
  if (value.length < (strength === 'password' ? 4 : 8)) return false
  if (has(PLACEHOLDER, value, 0)) return false
  if (value.length <= LONGEST_ORDINARY && ORDINARY.has(value.toLowerCase())) return false
  const seen = survey(value)
  if (seen & BLANK) return setting === 'quoted' && strength === 'password' && (seen & DIGIT) !== 0
  if (setting !== 'quoted' && seen & CODE) return false
  if (seen & DIGIT) return true
  if (strength === 'token') return value.length >= 16 && (seen & (UPPER | LOWER | DOT)) === (UPPER | LOWER)
  if (setting === 'quoted') return true
  return (seen & SYMBOL) !== 0 || (setting === 'tight' && (seen & (JOINT | DOT)) === 0)
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
