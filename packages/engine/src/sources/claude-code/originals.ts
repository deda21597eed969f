import { dirname } from 'node:path'
import { contains } from './contains.ts'
import { type Head, readHead } from './head.ts'
import { transcriptsIn } from './places.ts'

export interface Original {
  readonly session: string
  readonly path: string
}

interface Begun extends Original {
  readonly head: Head
}

/** What was seen so lately is taken for what is there. */
const FRESH_MS = 1_000
/** A file whose first row is older than itself by so much may begin with a copy; so may one from the future. */
const LATE_MS = 1_000
const EARLY_MS = 86_400_000

/** The transcripts of a project by how they begin. */
interface Look {
  readonly at: number
  readonly begun: ReadonlyMap<string, readonly Begun[]>
}

/**
 * Finds the transcripts that another begins with a copy of. A session that is resumed as a new one (`--fork-session`) has the rows of
 * the old one under its own id, or those since its last compaction, with nothing that says so but their uuids.
 */
export class Originals {
  readonly #heads = new Map<string, Head | null>()
  readonly #looks = new Map<string, Look>()

  /** Those before it, the newest last. */
  async of(session: string, path: string): Promise<readonly Original[]> {
    const head = await readHead(path).catch(() => undefined)
    if (head === undefined || head === null || !mayBeCopied(head)) return []
    const own = { session, path, head }
    const { begun } = await this.#look(dirname(path))
    const found = (begun.get(head.key) ?? []).filter((each) => isBefore(each, own))
    if (head.goesOn)
      for (const each of [...begun.values()].flat())
        if (isBefore(each, own) && !found.includes(each) && (await contains(each.path, head.uuid)))
          found.push(each)
    return found.sort((a, b) => (isBefore(a, b) ? -1 : 1))
  }

  async #look(folder: string): Promise<Look> {
    const known = this.#looks.get(folder)
    if (known !== undefined && performance.now() - known.at < FRESH_MS) return known
    const begun = new Map<string, Begun[]>()
    for (const { session, path } of await transcriptsIn(folder).catch(() => [])) {
      const head = this.#heads.get(path) ?? (await this.#learn(path))
      if (head && begun.get(head.key)?.push({ session, path, head }) === undefined)
        begun.set(head.key, [{ session, path, head }])
    }
    const look = { at: performance.now(), begun }
    this.#looks.set(folder, look)
    return look
  }

  /** It is read once: it does not change. */
  async #learn(path: string): Promise<Head | null> {
    if (this.#heads.has(path)) return null
    const head = await readHead(path).catch(() => undefined)
    if (head !== undefined) this.#heads.set(path, head)
    return head ?? null
  }
}

const mayBeCopied = ({ goesOn, saidAt, writtenAt, bornAt }: Head): boolean =>
  goesOn || writtenAt > saidAt || bornAt > saidAt + LATE_MS || saidAt > bornAt + EARLY_MS

function isBefore(a: Begun, b: Begun): boolean {
  if (a.head.writtenAt !== b.head.writtenAt) return a.head.writtenAt < b.head.writtenAt
  if (a.head.bornAt !== b.head.bornAt) return a.head.bornAt < b.head.bornAt
  return a.session < b.session
}
