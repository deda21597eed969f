import type { SharedTexts } from '@panoptes/engine/store'
import { failure, success } from '@panoptes/schema'
import { type ChangingShelf, DELETED, type Shelf } from './storage.ts'

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
