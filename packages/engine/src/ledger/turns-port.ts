import type { MoaTurn, Result } from '@panoptes/schema'
import type { Rows } from './accounts-port.ts'

export interface TurnQuery {
  readonly preset?: string | undefined
  readonly session?: string | undefined
  /** Inclusive and exclusive, milliseconds, of its beginning. */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly limit: number
  readonly offset?: number | undefined
}

/** What turns of several models took. It is no part of the log, and holds no texts but the first words of a question. No method throws. */
export interface Turns {
  /** Takes the place of what was kept of the same turn. The oldest go when there are very many. */
  keep(turns: readonly MoaTurn[]): Promise<Result<null>>
  /** By its id, or the beginning of it where that is one turn's alone. */
  get(id: string): Promise<Result<MoaTurn | null>>
  /** The newest first. */
  list(query: TurnQuery): Promise<Result<Rows<MoaTurn>>>
}
