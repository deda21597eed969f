import { join } from 'node:path'
import type { Failure } from '@panoptes/schema'
import { rootOf } from '../roots.ts'
import { type Head, NO_HEAD, readHead } from './head.ts'
import { type RolloutFile, rolloutsIn, TITLES_FILE } from './places.ts'
import { readTitles } from './titles.ts'

export interface Rollout extends RolloutFile {
  readonly head: Head
}

/** A thread with the sub-agents that belong to it, and theirs. */
export interface Thread {
  readonly rollout: Rollout
  readonly agents: readonly Rollout[]
  readonly title: string | null
}

export interface Shelf {
  readonly threads: ReadonlyMap<string, Thread>
  readonly rollouts: ReadonlyMap<string, Rollout>
  /** Folders that could not be read. */
  readonly failures: readonly Failure[]
}

/** So many files are looked at together. */
const AT_ONCE = 32
/** What was seen so lately is taken for what is there. */
const FRESH_MS = 1_000

/** What a home has of threads. The first line of a rollout is read once: it does not change. */
export class Library {
  readonly #home: string
  readonly #heads = new Map<string, Head>()
  #shelf: Shelf | undefined
  #at = Number.NEGATIVE_INFINITY

  constructor(home: string) {
    this.#home = home
  }

  /** What is there now. */
  async look(): Promise<Shelf> {
    const failures: Failure[] = []
    const files = await rolloutsIn(this.#home, (failure) => failures.push(failure))
    const titles = await readTitles(join(this.#home, TITLES_FILE))
    for (let at = 0; at < files.length; at += AT_ONCE)
      await Promise.all(files.slice(at, at + AT_ONCE).map(({ path }) => this.#learn(path)))
    const known = files.map((file) => ({ ...file, head: this.#heads.get(file.path) ?? NO_HEAD }))
    const there = new Set(files.map(({ path }) => path))
    for (const path of this.#heads.keys()) if (!there.has(path)) this.#heads.delete(path)
    this.#shelf = { ...shelfOf(known, titles), failures }
    this.#at = performance.now()
    return this.#shelf
  }

  /** What was there a moment ago, or what is there now. */
  async recent(): Promise<Shelf> {
    return this.#shelf !== undefined && performance.now() - this.#at < FRESH_MS ? this.#shelf : this.look()
  }

  async #learn(path: string): Promise<void> {
    if (this.#heads.has(path)) return
    // A file that may not be read is listed: reading it says why.
    const head = await readHead(path).catch(() => undefined)
    if (head !== undefined) this.#heads.set(path, head)
  }
}

function shelfOf(rollouts: readonly Rollout[], titles: ReadonlyMap<string, string>): Omit<Shelf, 'failures'> {
  const byId = new Map(rollouts.map((rollout) => [rollout.id, rollout]))
  const agents = new Map<string, Rollout[]>()
  const roots: Rollout[] = []
  for (const rollout of rollouts) {
    const root = rootOf(rollout.id, (id) => byId.get(id)?.head.parent)
    if (root === rollout.id) roots.push(rollout)
    else if (agents.get(root)?.push(rollout) === undefined) agents.set(root, [rollout])
  }
  const threads = roots.map((rollout): [string, Thread] => [
    rollout.id,
    { rollout, agents: agents.get(rollout.id) ?? [], title: titles.get(rollout.id) ?? null },
  ])
  return { threads: new Map(threads), rollouts: byId }
}
