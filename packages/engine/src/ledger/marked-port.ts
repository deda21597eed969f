import type {
  MarksInput,
  Result,
  SavedFilter,
  SavedQuery,
  SessionMarks,
  SessionRef,
  TagCount,
} from '@panoptes/schema'

export interface MarkedQuery {
  /** Only these, as far as they are marked. */
  readonly of?: readonly SessionRef[] | undefined
  /** Only those with this tag. */
  readonly tag?: string | undefined
}

/** What people wrote about sessions, and the filters they saved. It stays when the index is made again; no method throws. */
export interface MarkedSessions {
  list(query: MarkedQuery): Promise<Result<readonly SessionMarks[]>>
  /** Changes what is given and answers what is there now. */
  mark(session: SessionRef, marks: MarksInput): Promise<Result<SessionMarks>>
  /** The most used first. */
  tags(): Promise<Result<readonly TagCount[]>>
  /** By name. */
  filters(): Promise<Result<readonly SavedFilter[]>>
  saveFilter(name: string, query: SavedQuery): Promise<Result<null>>
  /** Whether there was one. */
  dropFilter(name: string): Promise<Result<boolean>>
}
