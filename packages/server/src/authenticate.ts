import type { IncomingHttpHeaders } from 'node:http'
import { ownerOfHome } from '@panoptes/engine/home'
import type { Unknown } from '@panoptes/engine/store'
import type { Failure, Identity, Role } from '@panoptes/schema'
import type { Proxies } from './auth/client-address.ts'
import type { Credential, Credentials } from './credentials.ts'

/**
 * The part of a request that exists before its body is read: enough to find the caller and to judge their
 * rights.
 */
export interface RequestHead {
  readonly method: string
  readonly path: string
  readonly search?: string
  readonly headers: IncomingHttpHeaders
  /** The address at the other end of the connection. */
  readonly peer?: string | undefined
  /** The address at this end of the connection. */
  readonly local?: string | undefined
  /** The proxies whose `x-forwarded-for` header is believed. */
  readonly proxies?: Proxies | undefined
}

/** The caller of a request, and what they may do in which space. */
export interface Caller extends Credential {
  readonly role: Role
  readonly space: string
  /** The caller showed a token file of this home, which gives access to the whole home. */
  readonly home: boolean
  /** The team identity of the caller; absent outside of a team. */
  readonly identity?: Identity
}

/** One id per person, whatever credentials they show, and one per machine token. */
export const callerId = ({ identity, space }: Caller): string =>
  identity?.user_id ?? identity?.token_id ?? `home of ${space}`

interface FoundCaller {
  readonly caller: Caller
  readonly checkAccess: AccessCheck
}

export type CallerLookup =
  | FoundCaller
  | { readonly refused: 'none' | Unknown }
  /** Too many requests: `limited` is how many seconds to wait, `caller` is who sent them. */
  | { readonly limited: number; readonly caller?: Caller | undefined }
  /** The team could not be asked; `last` is the caller of a recent lookup. */
  | { readonly failed: Failure; readonly last?: FoundCaller }

/** Checks whether a caller who was let in would be let in again. */
export type AccessCheck = () => boolean | Promise<boolean>

export type FindCaller = (requestHead: RequestHead) => CallerLookup | Promise<CallerLookup>

/** Finds callers by the token files of this home. Each may do everything that the scope of its token allows. */
export const createHomeCallers =
  (credentials: Credentials, space: string): FindCaller =>
  ({ headers }) => {
    const shown = credentials.identify(headers)
    if (!shown) {
      const { authorization, 'sec-websocket-protocol': protocol } = headers
      return { refused: authorization === undefined && protocol === undefined ? 'none' : 'unknown' }
    }
    return {
      caller: { ...shown, role: 'admin', space, home: true },
      checkAccess: () => credentials.identify(headers)?.scope === shown.scope,
    }
  }

/**
 * The owner of what a caller creates: the person, or the token if it belongs to nobody. On a single computer
 * there are no people, and nothing has an owner.
 */
export function findOwner(people: object | undefined, caller: Caller | undefined): string | undefined {
  if (people === undefined) return undefined
  const { user_id = null, token_id = null } = caller?.identity ?? {}
  if (user_id !== null) return user_id
  return token_id === null ? ownerOfHome() : `token:${token_id}`
}

/** Supervisors and load balancers poll these paths. They need the current state, without a token and without a wait. */
export const PROBES: ReadonlySet<string> = new Set(['/health', '/ready'])
