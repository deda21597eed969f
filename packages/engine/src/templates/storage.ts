import type { Result } from '@panoptes/schema'

export const ENDING = '.json'
/** The folder of deleted templates. */
export const DELETED = '.deleted/'

/** Where templates are stored: files by name, in a folder or in a database that hubs share. */
export interface Shelf {
  /** How the storage and its files are named to people. */
  readonly where: string
  readonly shown: (name: string) => string
  /**
   * The sorted names of template files, either current or deleted; empty if nothing was ever
   * stored.
   */
  readonly names: (within?: typeof DELETED) => Promise<Result<readonly string[]>>
  readonly read: (name: string) => Promise<Result<string>>
}

/** A storage that nobody else can change meanwhile. */
export interface OpenShelf extends Shelf {
  readonly isThere: (name: string) => Promise<boolean>
  readonly write: (name: string, text: string) => Promise<void>
  readonly rename: (name: string, to: string) => Promise<void>
  readonly remove: (name: string) => Promise<void>
}

export interface ChangingShelf {
  readonly where: string
  /** Opens the current state for reading. */
  readonly look: () => Promise<Result<Shelf>>
  /** Whether anything was ever stored. */
  readonly isMade: () => Promise<boolean>
  /** Runs one change at a time across processes. */
  readonly alone: <T>(change: (shelf: OpenShelf) => Promise<Result<T>>) => Promise<Result<T>>
}
