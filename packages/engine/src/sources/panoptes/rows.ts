import type { SQLOutputValue } from 'node:sqlite'
import type { Failure } from '@panoptes/schema'

export interface ConversationRow {
  readonly id: string
  /** The time of the last change. */
  readonly at: number
  /** The conversation's document. */
  readonly doc: SQLOutputValue
  /** The number of its newest message. */
  readonly newest: number | null
}

/** A stored message. A document that is too long to hold is replaced by its length. */
export interface MessageRow {
  readonly number: number
  readonly doc: SQLOutputValue
}

/** Reads the stored conversations as rows. Its methods throw, and `toFailure` explains the error. */
export interface ConversationRows {
  /** The place to show to people. */
  readonly place: string
  /** Lists all conversations by id, in pages. */
  list(signal?: AbortSignal): AsyncIterable<readonly ConversationRow[]>
  /** Returns one conversation with the positions of its replaced messages. */
  head(id: string): Promise<
    | {
        readonly doc: SQLOutputValue
        readonly replaced: readonly { readonly number: number; readonly at: number }[]
      }
    | undefined
  >
  /** Returns a bounded page of a conversation's messages after a number. */
  messages(
    id: string,
    after: number,
  ): Promise<{ readonly rows: readonly MessageRow[]; readonly more: boolean }>
  /** Returns a replaced message. */
  replaced(number: number): Promise<MessageRow | undefined>
  find(
    id: string,
    ids: readonly string[],
  ): Promise<readonly { readonly doc: SQLOutputValue; readonly isReplaced: boolean }[]>
  /** Calls back when a conversation may have changed. Returns a function that ends the watch. */
  watch(changed: () => void): () => void
  toFailure(error: unknown): Failure
}
