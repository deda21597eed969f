import type { SharedTexts } from '@panoptes/engine/store'
import { failure, type Result, success } from '@panoptes/schema'

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

const WHERE = 'the team’s database'

/** Storage in a database that every hub shares. */
export const sharedShelf = (texts: SharedTexts): ChangingShelf => ({
  where: WHERE,
  look: async () => {
    const all = await texts.all()
    return all.ok ? success(toShelf(all.value)) : all
  },
  isMade: async () => true,
  alone: (change) =>
    texts.change((all) =>
      change({
        ...toShelf(all),
        isThere: async (name) => all.has(name),
        write: async (name, text) => void all.set(name, text),
        rename: async (name, to) => {
          all.set(to, all.get(name) ?? '')
          all.delete(name)
        },
        remove: async (name) => void all.delete(name),
      }),
    ),
})

const toShelf = (all: ReadonlyMap<string, string>): Shelf => ({
  where: WHERE,
  shown: (name) => name,
  names: async (within) =>
    success([...all.keys()].filter((name) => name.startsWith(DELETED) === (within !== undefined)).sort()),
  read: async (name) => {
    const text = all.get(name)
    return text === undefined ? failure('not_found', `${name} is not in ${WHERE}`) : success(text)
  },
})
