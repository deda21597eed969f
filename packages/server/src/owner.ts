import { ownerOfHome } from '@panoptes/engine/home'
import type { Caller } from './callers.ts'
import type { Kit } from './kit.ts'

/** Whose something is that a caller begins: a person's, else that of the token alone. On a computer of one's own it is nobody's. */
export function ownerOf(people: Kit['people'], caller: Caller | undefined): string | undefined {
  if (people === undefined) return undefined
  const { user_id = null, token_id = null } = caller?.identity ?? {}
  if (user_id !== null) return user_id
  return token_id === null ? ownerOfHome() : `token:${token_id}`
}
