import type { PastSession } from '@panoptes/schema'

type Seen = Pick<PastSession, 'source' | 'id' | 'parent_id' | 'lineage'>

export const nameOf = (source: string, id: string): string => `${source}\n${id}`

/** Knows which sessions begin with a copy of which, branches of branches included. */
export class Branches {
  readonly #parents = new Map<string, { readonly id: string; readonly parent: string }>()

  saw({ source, id, parent_id, lineage }: Seen): void {
    if (lineage !== 'branch' || parent_id === null) return
    this.#parents.set(nameOf(source, id), { id, parent: nameOf(source, parent_id) })
  }

  /** By the names of these, the ids of the others that are branches of them. */
  of(these: { readonly has: (name: string) => boolean }): ReadonlyMap<string, string[]> {
    const found = new Map<string, string[]>()
    for (const [name, { id }] of this.#parents) {
      if (these.has(name)) continue
      for (const before of this.#before(name))
        if (these.has(before) && found.get(before)?.push(id) === undefined) found.set(before, [id])
    }
    return found
  }

  #before(name: string): ReadonlySet<string> {
    const before = new Set<string>()
    for (let next = this.#parents.get(name)?.parent; next !== undefined && !before.has(next); ) {
      before.add(next)
      next = this.#parents.get(next)?.parent
    }
    return before
  }
}
