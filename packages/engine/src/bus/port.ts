import type { EventRow } from '@panoptes/engine/ledger'
import type { NewEvent, Result } from '@panoptes/schema'

export interface BusHealth {
  /** Its address, as it may be shown. */
  readonly where: string
  /** Messages that are in the stream and not in the ledger yet; each holds one event or thousands. */
  readonly waiting: number
  /** What they take of the stream's room. */
  readonly waitingBytes: number
  readonly mostBytes: number
  /** How long ago the oldest of them came. */
  readonly lagMs: number
  /** How many servers keep the stream. */
  readonly replicas: number
  /** Whether this process puts events into the ledger now. */
  readonly isWriter: boolean
  /** Whether it takes events now; they may have to wait in it for the ledger. */
  readonly isTaking: boolean
  /** Events that the ledger would not have, since this process began; they are kept for a while in a stream of their own. */
  readonly refused: number
  readonly problem: string | null
}

/**
 * A replicated stream in front of the ledger of one space. Whatever it took will be in the ledger, each event once; whoever leads
 * the writing puts it there, in the order it came. No method throws.
 */
export interface Bus {
  /** Resolves once the stream has them for good; they are in the ledger a moment later. */
  publish(events: readonly NewEvent[]): Promise<Result<null>>
  /** Rows as they are stored, from whichever hub; each once, in order, gaps filled from the ledger. */
  subscribe(after: number, signal: AbortSignal): AsyncIterable<readonly EventRow[]>
  health(): BusHealth
  close(): Promise<void>
}
