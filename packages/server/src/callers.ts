import type { Unknown } from '@panoptes/engine/ledger'
import type { Failure, Identity, Role } from '@panoptes/schema'
import type { Credentials, Shown } from './credentials.ts'
import type { Asked } from './guard.ts'

/** Who calls, and what they may do where. */
export interface Caller extends Shown {
  readonly role: Role
  readonly space: string
  /** By a token file of this home: whoever has that has the home. */
  readonly home: boolean
  /** In a team. */
  readonly identity?: Identity
}

/** The same for all that one person shows, and for one token of a machine. */
export const idOf = ({ identity, space }: Caller): string =>
  identity?.user_id ?? identity?.token_id ?? `home of ${space}`

interface LetIn {
  readonly caller: Caller
  readonly standing: Standing
}

export type Found =
  | LetIn
  | { readonly refused: 'none' | Unknown }
  /** Too many requests: how many seconds to wait, and whose they were. */
  | { readonly limited: number; readonly caller?: Caller | undefined }
  /** Nobody could be asked who it is; `last` is who it was a while ago. */
  | { readonly failed: Failure; readonly last?: LetIn }

/** Whether a caller who was let in would be let in again. */
export type Standing = () => boolean | Promise<boolean>

export type FindCaller = (asked: Asked) => Found | Promise<Found>

/** Whoever has a token file of this home may do everything that its scope is for. */
export const homeCallers =
  (credentials: Credentials, space: string): FindCaller =>
  ({ headers }) => {
    const shown = credentials.identify(headers)
    if (!shown) {
      const { authorization, 'sec-websocket-protocol': protocol } = headers
      return { refused: authorization === undefined && protocol === undefined ? 'none' : 'unknown' }
    }
    const generation = credentials.generation()
    return {
      caller: { ...shown, role: 'admin', space, home: true },
      standing: () => credentials.generation() === generation,
    }
  }
