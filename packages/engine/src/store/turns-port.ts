import type { MoaTurn, Result } from '@panoptes/schema'
import type { Rows } from './accounts-port.ts'

export interface TurnQuery {
  readonly preset?: string | undefined
  readonly session?: string | undefined
  /**
   * These bounds apply to the time when the turn began: `since` is inclusive, `until` exclusive, in
   * milliseconds.
   */
  readonly since?: number | undefined
  readonly until?: number | undefined
  readonly limit: number
  readonly offset?: number | undefined
}

/**
 * The cost and time of turns of several models. They are not part of the log, and contain no text but the
 * first words of a question. No method throws.
 */
export interface Turns {
  /** Replaces earlier records of the same turns. The oldest turns are dropped when there are very many. */
  keep(turns: readonly MoaTurn[]): Promise<Result<null>>
  /** Finds a turn by its id, or by the beginning of an id if that identifies a single turn. */
  get(id: string): Promise<Result<MoaTurn | null>>
  /** Lists turns, the newest first. */
  list(query: TurnQuery): Promise<Result<Rows<MoaTurn>>>
}
