import type {
  MarksInput,
  Result,
  SavedFilter,
  SavedQuery,
  SessionMarks,
  SessionRef,
  TagCount,
} from '@panoptes/schema'

export interface AnnotationQuery {
  /** This selects only these sessions, as far as they have annotations. */
  readonly of?: readonly SessionRef[] | undefined
  /** This selects only sessions with this tag. */
  readonly tag?: string | undefined
}

/**
 * The notes, tags and stars that people add to sessions, and the filters they save. They survive a rebuild of
 * the index. No method throws.
 */
export interface AnnotationStore {
  list(query: AnnotationQuery): Promise<Result<readonly SessionMarks[]>>
  /** Changes the given fields and returns the resulting annotations. */
  mark(session: SessionRef, marks: MarksInput): Promise<Result<SessionMarks>>
  /** Lists tags, the most used first. */
  tags(): Promise<Result<readonly TagCount[]>>
  /** Lists saved filters by name. */
  filters(): Promise<Result<readonly SavedFilter[]>>
  saveFilter(name: string, query: SavedQuery): Promise<Result<null>>
  /** Returns whether the filter existed. */
  dropFilter(name: string): Promise<Result<boolean>>
}
