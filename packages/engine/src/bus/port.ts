import type { EventRow } from '@panoptes/engine/ledger'
import type { NewEvent, Result } from '@panoptes/schema'

export interface BusHealth {
  /** Events that are in the stream and not in the ledger yet. */
  readonly waiting: number
  /** How long ago the oldest of them came. */
  readonly lagMs: number
  readonly problem: string | null
}

/**
 * A replicated stream in front of the ledger of one space. Whatever it took will be in the ledger, each event once; whoever holds the
 * lock of the writers puts it there, in the order it came. No method throws.
 */
export interface Bus {
  /** Resolves once the stream has them for good; they are in the ledger a moment later. */
  publish(events: readonly NewEvent[]): Promise<Result<null>>
  /** Rows as they are stored, from whichever hub; each once, in order, gaps filled from the ledger. */
  subscribe(after: number, signal: AbortSignal): AsyncIterable<readonly EventRow[]>
  health(): BusHealth
  close(): Promise<void>
}
