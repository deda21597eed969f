import type { Strength } from './value.ts'

type Name = readonly [literal: string, label: string, strength: Strength]

const createNames = (label: string, strength: Strength, literals: string): readonly Name[] =>
  literals.split(' ').map((literal) => [literal, label, strength])

/** Endings of names whose value is a secret. */
export const NAMES: readonly Name[] = [
  ...createNames('password', 'password', 'password passwd passphrase passcode pwd _pass -pass sshpass'),
  ...createNames('secret', 'token', 'secret credential private_key private-key privatekey'),
  ...createNames(
    'secret',
    'token',
    'encryption_key encryptionkey signing_key signingkey master_key masterkey',
  ),
  ...createNames('token', 'token', 'token'),
  ...createNames('api-key', 'token', 'api_key api-key apikey access_key access-key accesskey app_key appkey'),
  ...createNames('api-key', 'token', 'account_key accountkey auth_key auth-key authkey _auth'),
  ...createNames('signature', 'token', 'x-amz-signature x-goog-signature'),
]

/** `secret_key` names a secret, `token_count` does not. */
const SUFFIX = /(?:[_-]?(?:access[_-]?)?key|[_-]value)?/iy

export function afterSuffix(text: string, at: number): number {
  SUFFIX.lastIndex = at
  return SUFFIX.test(text) ? SUFFIX.lastIndex : at
}

/** What may stand before `pass` in one word: `DBPASS`, `PGPASS`. Other words are `bypass` and `compass`. */
const BEFORE_PASS =
  /(?:db|pg|sql|my|root|user|admin|smtp|imap|mail|ftp|ssh|proxy|redis|mongo|ldap|key|store|login|auth)$/i
const LONGEST_BEFORE_PASS = 5

export const endsPassPrefix = (text: string, at: number): boolean =>
  BEFORE_PASS.test(text.slice(Math.max(0, at - LONGEST_BEFORE_PASS), at))

export type SecretField =
  | { readonly kind: 'header'; readonly name: string }
  | { readonly kind: 'named'; readonly label: string; readonly strength: Strength }

const LONGEST_NAME = 64
const HEADERS = ['authorization', 'set-cookie', 'cookie']

/** Classifies the value of a field by its name: `{"password": "…"}`. */
export function secretField(name: string): SecretField | undefined {
  const plain = name.slice(-LONGEST_NAME).toLowerCase()
  const header = HEADERS.find((each) => plain.endsWith(each))
  if (header !== undefined) return { kind: 'header', name: header }
  for (const [literal, label, strength] of NAMES) {
    const at = plain.lastIndexOf(literal)
    if (at >= 0 && afterSuffix(plain, at + literal.length) === plain.length)
      return { kind: 'named', label, strength }
  }
  // On its own, `pass` is just as often a number of tests or a result.
  const pass = plain.length - 'pass'.length
  return plain.endsWith('pass') && (pass === 0 || endsPassPrefix(plain, pass))
    ? { kind: 'named', label: 'password', strength: 'token' }
    : undefined
}
