import type { EventRow } from '@panoptes/engine/store'
import type { NewEvent, Result } from '@panoptes/schema'

export interface BusHealth {
  /** The server address without credentials. */
  readonly where: string
  /**
   * Messages in the stream that are not in the store yet. One message holds between one and thousands of
   * events.
   */
  readonly waiting: number
  /** The waiting messages occupy this many bytes. */
  readonly waitingBytes: number
  readonly mostBytes: number
  /** The age of the oldest waiting message. */
  readonly lagMs: number
  /** This many servers hold a copy of the stream. */
  readonly replicas: number
  /** This is true when this process writes the events into the store. */
  readonly isWriter: boolean
  /** This is true when the bus accepts events now. They may wait in the stream until the store takes them. */
  readonly isTaking: boolean
  /**
   * Counts the events that the store rejected since this process began. A separate stream keeps them for a
   * while.
   */
  readonly refused: number
  readonly problem: string | null
}

/**
 * A replicated stream in front of the store of one space. Every event that the bus accepts reaches the store
 * exactly once: the process that leads the writing stores events in the order they arrived. No method throws.
 */
export interface Bus {
  /** Resolves once the stream holds the events durably. They reach the store a moment later. */
  publish(events: readonly NewEvent[]): Promise<Result<null>>
  /**
   * Delivers rows as they are stored, from whichever hub: each once and in order, with gaps filled from the
   * store.
   */
  subscribe(after: number, signal: AbortSignal): AsyncIterable<readonly EventRow[]>
  health(): BusHealth
  close(): Promise<void>
}
