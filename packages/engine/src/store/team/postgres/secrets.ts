import { createHash, randomBytes } from 'node:crypto'
import type { Database } from '../../postgres/database.ts'

const BYTES = 32
const HINT = 10
const LONGEST = 100

export const TOKEN = 'pan_'
export const SIGN_IN = 'ses_'

export const newSecret = (prefix: typeof TOKEN | typeof SIGN_IN): string =>
  prefix + randomBytes(BYTES).toString('base64url')

/** Only this hash is stored. 32 random bytes need no slow hash, because nobody finds them by trying. */
export const hashSecret = (secret: string): Uint8Array => createHash('sha256').update(secret).digest()

/** Returns the first letters of a secret, by which people tell secrets apart. */
export const secretHint = (secret: string): string => `${secret.slice(0, HINT)}…`

export function secretKind(secret: string): 'token' | 'sign-in' | undefined {
  if (secret.length > LONGEST) return undefined
  if (secret.startsWith(TOKEN)) return 'token'
  return secret.startsWith(SIGN_IN) ? 'sign-in' : undefined
}

/** The first caller creates the key, and every caller receives the stored one. */
export async function sharedKey({ row, run }: Database, name: string): Promise<string> {
  const made = randomBytes(BYTES).toString('base64url')
  await run('INSERT INTO keys VALUES ($1, $2) ON CONFLICT DO NOTHING', [name, made])
  const stored = await row('SELECT value FROM keys WHERE name = $1', [name])
  return String(stored?.value)
}
