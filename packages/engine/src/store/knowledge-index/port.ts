import type { Result } from '@panoptes/schema'

/** A part of a text, with the headings above it. */
export interface IndexedPassage {
  readonly headings: readonly string[]
  readonly text: string
}

interface FileRef {
  /** A folder that the person chose, and a file below it. */
  readonly folder: string
  readonly path: string
}

/**
 * The state of a file when it was read. A different mark may mean a different text; a different hash always
 * does.
 */
export interface FileMark {
  readonly mark: string
  readonly hash: string
}

export type KnowledgeChange =
  | ({ readonly type: 'file'; readonly passages: readonly IndexedPassage[] } & FileRef & FileMark)
  /** The file was touched, but its text is the same. */
  | ({ readonly type: 'mark'; readonly mark: string } & FileRef)
  | ({ readonly type: 'drop' } & FileRef)
  /** Removes everything of a folder. */
  | { readonly type: 'leave'; readonly folder: string }

export interface FoundPassage extends FileRef, IndexedPassage {}

export interface FoundPassages {
  /** The best match comes first. */
  readonly passages: readonly FoundPassage[]
  /** Counts the passages that matched among those that were examined. */
  readonly total: number
}

/** The search index of folders with notes. It can always be rebuilt from the notes. No method throws. */
export interface KnowledgeIndex {
  folders(): Promise<Result<readonly string[]>>
  /** Returns the files of a folder by path. */
  fileMarks(folder: string): Promise<Result<ReadonlyMap<string, FileMark>>>
  /** Writes all changes or none. */
  write(changes: readonly KnowledgeChange[]): Promise<Result<null>>
  search(text: string, most: number): Promise<Result<FoundPassages>>
  close(): void
}
