import { ownerOfHome } from '@panoptes/engine/home'
import type { AppContext } from './app-context.ts'
import type { Caller } from './authenticate.ts'

/**
 * The owner of what a caller creates: the person, or the token if it belongs to nobody. On a single computer
 * nothing has an owner.
 */
export function findOwner(people: AppContext['people'], caller: Caller | undefined): string | undefined {
  if (people === undefined) return undefined
  const { user_id = null, token_id = null } = caller?.identity ?? {}
  if (user_id !== null) return user_id
  return token_id === null ? ownerOfHome() : `token:${token_id}`
}
