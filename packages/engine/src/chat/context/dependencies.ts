import type { Result } from '@panoptes/schema'

/** A message of a person or an agent in a past session. */
export interface RecalledMessage {
  readonly source: string
  readonly session_id: string
  readonly title: string | null
  /** The id that its source uses; for a chat conversation, the id of the message. */
  readonly message_id: string | null
  readonly role: 'user' | 'assistant'
  readonly ts: number | null
  /** The text around the match, or the whole of a short message, as it was written. */
  readonly text: string
}

/** A part of a file in the user's knowledge folders. */
export interface Passage {
  /** The file's path as the user knows it, starting with the folder's name. */
  readonly file: string
  /** The headings above the passage, outermost first. */
  readonly headings: readonly string[]
  readonly text: string
}

/** Matches, best first. */
export interface SearchResult<T> {
  readonly found: readonly T[]
  /**
   * The number of all matches, including those over the limit. If they were not all counted, the
   * number seen so far.
   */
  readonly total: number
  /** A hint for the reader, for example that part of the index is not built yet. */
  readonly note?: string | undefined
}

export interface RecallOptions {
  readonly limit: number
  readonly signal: AbortSignal
  /**
   * Excludes what the model already sees: messages of this session since a time. Null excludes the
   * whole session.
   */
  readonly except: { readonly source: string; readonly session_id: string; readonly since: number | null }
}

/**
 * Ranked search over the messages of all sources. A failure means that the search was not possible,
 * not that there are no matches.
 */
export type Recall = (query: string, options: RecallOptions) => Promise<Result<SearchResult<RecalledMessage>>>

/**
 * Ranked search over the user's knowledge folders. Without a configured folder there are no
 * matches, which is not a failure.
 */
export type LookUp = (
  query: string,
  options: { readonly limit: number; readonly signal: AbortSignal },
) => Promise<Result<SearchResult<Passage>>>

export type { AskModel } from '../plan/rules.ts'
