import type { Result } from '@panoptes/schema'

/** A part of a text, and the headings it stands under. */
export interface KeptPassage {
  readonly headings: readonly string[]
  readonly text: string
}

interface FileRef {
  /** A folder that the person points at, and the file below it. */
  readonly folder: string
  readonly path: string
}

/** How a file was when it was read: another mark may be another text, another hash is one. */
export interface FileMark {
  readonly mark: string
  readonly hash: string
}

export type KnowledgeChange =
  | ({ readonly type: 'file'; readonly passages: readonly KeptPassage[] } & FileRef & FileMark)
  /** It was touched, and says the same. */
  | ({ readonly type: 'mark'; readonly mark: string } & FileRef)
  | ({ readonly type: 'drop' } & FileRef)
  /** All of it. */
  | { readonly type: 'leave'; readonly folder: string }

export interface FoundPassage extends FileRef, KeptPassage {}

export interface FoundPassages {
  /** The best first. */
  readonly passages: readonly FoundPassage[]
  /** Those that have to do with the text, as many as were looked at. */
  readonly total: number
}

/** What is found in folders of notes. It can always be made again from them. No method throws. */
export interface KnowledgeIndex {
  folders(): Promise<Result<readonly string[]>>
  /** By their paths. */
  known(folder: string): Promise<Result<ReadonlyMap<string, FileMark>>>
  /** All of it or nothing. */
  write(changes: readonly KnowledgeChange[]): Promise<Result<null>>
  search(text: string, most: number): Promise<Result<FoundPassages>>
  close(): void
}
