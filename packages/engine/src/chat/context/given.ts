import type { Result } from '@panoptes/schema'

/** Something that was said in a session of the past, by a person or an agent. */
export interface Recalled {
  readonly source: string
  readonly session_id: string
  readonly title: string | null
  /** As its source counts it; of a conversation here, the id of its message. */
  readonly message_id: string | null
  readonly role: 'user' | 'assistant'
  readonly ts: number | null
  /** The words around what was found, or all of a short message; as they were said. */
  readonly text: string
}

/** A part of a file in the folders that the person points at. */
export interface Passage {
  /** As the person would name the file: from the folder's own name on. */
  readonly file: string
  /** The headings it stands under, from the outermost on. */
  readonly headings: readonly string[]
  readonly text: string
}

/** The best first. */
export interface Found<T> {
  readonly found: readonly T[]
  /** How many there are, with those that the limit left out; where they are not all counted, as many as were seen. */
  readonly total: number
  /** What a reader should know of it, such as that a part is not read yet. */
  readonly note?: string | undefined
}

export interface RecallOptions {
  readonly limit: number
  readonly signal: AbortSignal
  /** What is before everybody's eyes already: messages of this session from a time on are not wanted; null means all of them. */
  readonly except: { readonly source: string; readonly session_id: string; readonly since: number | null }
}

/** Ranked search over the messages of all sources. A failure says that it could not be asked, not that there is nothing. */
export type Recall = (query: string, options: RecallOptions) => Promise<Result<Found<Recalled>>>

/** Ranked search over the knowledge of the person. Where no folder is named there is nothing to find, which is no failure. */
export type LookUp = (
  query: string,
  options: { readonly limit: number; readonly signal: AbortSignal },
) => Promise<Result<Found<Passage>>>

export type { AskModel } from '../plan/index.ts'
