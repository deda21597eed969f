import type { Result } from '@panoptes/schema'

export const ENDING = '.json'
/** What was deleted has its name in here. */
export const DELETED = '.deleted/'

/** Where templates lie: files by their names, in a folder or in a database that hubs share. */
export interface Shelf {
  /** What people are told of all of it, and of one file. */
  readonly where: string
  readonly shown: (name: string) => string
  /** Those that end as templates do, in order, of the shelf itself or of what was deleted; none where nothing was ever put there. */
  readonly names: (within?: typeof DELETED) => Promise<Result<readonly string[]>>
  readonly read: (name: string) => Promise<Result<string>>
}

/** While nobody else changes it. */
export interface OpenShelf extends Shelf {
  readonly isThere: (name: string) => Promise<boolean>
  readonly write: (name: string, text: string) => Promise<void>
  readonly rename: (name: string, to: string) => Promise<void>
  readonly remove: (name: string) => Promise<void>
}

export interface ChangingShelf {
  readonly where: string
  /** As it is now. */
  readonly look: () => Promise<Result<Shelf>>
  /** Whether anything was ever put there. */
  readonly isMade: () => Promise<boolean>
  /** One change at a time, whoever makes it. */
  readonly alone: <T>(change: (shelf: OpenShelf) => Promise<Result<T>>) => Promise<Result<T>>
}
