import { join } from 'node:path'
import type { Failure } from '@panoptes/schema'
import { toText } from '../fields.ts'
import { jsonLines } from '../json-lines.ts'
import { findRoot } from '../roots.ts'
import { type Head, NO_HEAD, readHead } from './head.ts'
import { type RolloutFile, rolloutsIn, TITLES_FILE } from './places.ts'

export interface Rollout extends RolloutFile {
  readonly head: Head
}

/** A thread with its sub-agents, nested ones included. */
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

/** The number of files checked in parallel. */
const AT_ONCE = 32
/** A result this recent counts as current. */
const FRESH_MS = 1_000

/** Knows the threads of a home. The first line of a rollout never changes, so it is read once. */
export class Library {
  readonly #home: string
  readonly #heads = new Map<string, Head>()
  #shelf: Shelf | undefined
  #at = Number.NEGATIVE_INFINITY

  constructor(home: string) {
    this.#home = home
  }

  /** Lists the threads now. */
  async look(): Promise<Shelf> {
    const failures: Failure[] = []
    const files = await rolloutsIn(this.#home, (failure) => failures.push(failure))
    const titles = await readTitles(join(this.#home, TITLES_FILE))
    for (let at = 0; at < files.length; at += AT_ONCE)
      await Promise.all(files.slice(at, at + AT_ONCE).map(({ path }) => this.#learn(path)))
    const rollouts = files.map((file) => ({ ...file, head: this.#heads.get(file.path) ?? NO_HEAD }))
    const there = new Set(files.map(({ path }) => path))
    for (const path of this.#heads.keys()) if (!there.has(path)) this.#heads.delete(path)
    this.#shelf = { ...buildShelf(rollouts, titles), failures }
    this.#at = performance.now()
    return this.#shelf
  }

  /** Returns a recent list or makes a new one. */
  async recent(): Promise<Shelf> {
    return this.#shelf !== undefined && performance.now() - this.#at < FRESH_MS ? this.#shelf : this.look()
  }

  async #learn(path: string): Promise<void> {
    if (this.#heads.has(path)) return
    // An unreadable file is listed anyway; reading it gives the reason.
    const head = await readHead(path).catch(() => undefined)
    if (head !== undefined) this.#heads.set(path, head)
  }
}

function buildShelf(
  rollouts: readonly Rollout[],
  titles: ReadonlyMap<string, string>,
): Omit<Shelf, 'failures'> {
  const byId = new Map(rollouts.map((rollout) => [rollout.id, rollout]))
  const agents = new Map<string, Rollout[]>()
  const roots: Rollout[] = []
  for (const rollout of rollouts) {
    const root = findRoot(rollout.id, (id) => byId.get(id)?.head.parent)
    if (root === rollout.id) roots.push(rollout)
    else if (agents.get(root)?.push(rollout) === undefined) agents.set(root, [rollout])
  }
  const threads = roots.map((rollout): [string, Thread] => [
    rollout.id,
    { rollout, agents: agents.get(rollout.id) ?? [], title: titles.get(rollout.id) ?? null },
  ])
  return { threads: new Map(threads), rollouts: byId }
}

/** Reads the names that people gave to threads; the last one counts. */
async function readTitles(path: string): Promise<ReadonlyMap<string, string>> {
  const titles = new Map<string, string>()
  try {
    for await (const each of jsonLines(path)) {
      if ('problem' in each) continue
      const id = toText(each.value.id)
      const name = toText(each.value.thread_name)?.trim()
      if (id !== null && name) titles.set(id, name)
    }
  } catch {
    // Without the file, threads have the names from their rollouts.
  }
  return titles
}
