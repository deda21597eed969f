import type { SQLOutputValue } from 'node:sqlite'
import type { Failure } from '@panoptes/schema'

export interface ConversationRow {
  readonly id: string
  /** When it changed. */
  readonly at: number
  /** What is known of it. */
  readonly doc: SQLOutputValue
  /** The number of its newest message. */
  readonly newest: number | null
}

/** A message as it is kept; the length of one that is too long to be held stands in its place. */
export interface MessageRow {
  readonly number: number
  readonly doc: SQLOutputValue
}

/** The conversations that a ledger keeps, as rows. It only reads; its methods throw, and it says what that means. */
export interface ConversationRows {
  /** What is shown as the place. */
  readonly place: string
  /** All conversations, by id, some at a time. */
  list(signal?: AbortSignal): AsyncIterable<readonly ConversationRow[]>
  /** What is known of one, and where in it messages stood that others took the place of. */
  head(id: string): Promise<
    | {
        readonly doc: SQLOutputValue
        readonly replaced: readonly { readonly number: number; readonly at: number }[]
      }
    | undefined
  >
  /** Messages of a conversation after a number, a bounded part of them. */
  messages(
    id: string,
    after: number,
  ): Promise<{ readonly rows: readonly MessageRow[]; readonly more: boolean }>
  /** A message that others took the place of. */
  replaced(number: number): Promise<MessageRow | undefined>
  find(
    id: string,
    ids: readonly string[],
  ): Promise<readonly { readonly doc: SQLOutputValue; readonly isReplaced: boolean }[]>
  /** Says when a conversation may have changed. Ends when the answer is called. */
  watch(changed: () => void): () => void
  failureOf(error: unknown): Failure
}
