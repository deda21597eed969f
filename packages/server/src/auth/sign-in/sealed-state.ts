import { createCipheriv, createDecipheriv, hash, randomBytes } from 'node:crypto'
import type { Team } from '@panoptes/engine/store'
import { check, type Result, success } from '@panoptes/schema'
import { z } from 'zod'

/** The state between the redirect to the provider and the callback. */
const signInState = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** The path to go to after the sign-in. */
  to: z.string(),
  until: z.number(),
})
export type SignInState = z.infer<typeof signInState>

/**
 * Keeps the state in the browser, encrypted with a key that all hubs of the team share. The callback may then reach
 * another hub, and nobody but a hub can make a valid state.
 */
export interface Sealer {
  readonly seal: (value: SignInState) => Promise<Result<string>>
  /** Returns undefined if this team did not seal it, or if it expired. */
  readonly open: (sealed: string | undefined) => Promise<Result<SignInState | undefined>>
}

const CIPHER = 'aes-256-gcm'
const IV = 12
const TAG = 16

export function createSealer(team: Pick<Team, 'secret'>, now: () => number = Date.now): Sealer {
  const key = async (): Promise<Result<Buffer>> => {
    const secret = await team.secret()
    return secret.ok ? success(hash('sha256', `sign-in ${secret.value}`, 'buffer')) : secret
  }
  return {
    seal: async (value) => {
      const own = await key()
      if (!own.ok) return own
      const iv = randomBytes(IV)
      const cipher = createCipheriv(CIPHER, own.value, iv)
      const text = Buffer.concat([cipher.update(JSON.stringify(value), 'utf8'), cipher.final()])
      return success(Buffer.concat([iv, cipher.getAuthTag(), text]).toString('base64url'))
    },
    open: async (sealed) => {
      const own = await key()
      if (!own.ok) return own
      const opened = unseal(own.value, Buffer.from(sealed ?? '', 'base64url'))
      return success(opened && opened.until > now() ? opened : undefined)
    },
  }
}

function unseal(key: Buffer, sealed: Buffer): SignInState | undefined {
  if (sealed.length <= IV + TAG) return undefined
  try {
    const decipher = createDecipheriv(CIPHER, key, sealed.subarray(0, IV), { authTagLength: TAG })
    decipher.setAuthTag(sealed.subarray(IV, IV + TAG))
    const text = Buffer.concat([decipher.update(sealed.subarray(IV + TAG)), decipher.final()])
    const read = check(signInState, JSON.parse(text.toString('utf8')))
    return read.ok ? read.value : undefined
  } catch {
    return undefined
  }
}
