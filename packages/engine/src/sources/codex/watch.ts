import { type FSWatcher, watch } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { MOST_DEPTH, ROLLOUT_FOLDERS, TITLES_FILE, threadIn } from './places.ts'

/** Changes arrive in bursts, so each thread is reported once per burst. */
const GATHER_MS = 200
/** How often to check for a home that does not exist yet or that the system stopped watching. */
const LOOK_MS = 700
/** Where the system lost events, this periodic check finds changes. */
const EVERYTHING_MS = 30_000

/**
 * Reports changed rollouts of a home. Each folder down to those of the days is watched separately: the folder
 * above reports a new day, and the scan that follows finds what was written there before it was watched.
 */
export function watchHome(
  home: string,
  changed: (id?: string) => void,
  { gatherMs, lookMs } = { gatherMs: GATHER_MS, lookMs: LOOK_MS },
): () => void {
  const watchers = new Map<string, FSWatcher>()
  let ended = false
  let timer: NodeJS.Timeout | undefined
  let settled = false
  const note = () => {
    if (ended || !settled) return
    timer ??= setTimeout(() => {
      timer = undefined
      changed()
    }, gatherMs)
  }
  const drop = (folder: string) => {
    watchers.get(folder)?.close()
    watchers.delete(folder)
  }
  const follow = async (folder: string, depth: number, wanted: (name: string) => boolean): Promise<void> => {
    if (ended || watchers.has(folder)) return
    try {
      const watcher = watch(folder, { persistent: false }, (type, name) => {
        if (name !== null && !wanted(name) && threadIn(name) === undefined) return
        note()
        // A folder may have been created or deleted. A deleted one may be created again.
        if (type === 'rename') void below(folder, depth, wanted).catch(() => drop(folder))
      })
      watcher.on('error', () => drop(folder))
      watchers.set(folder, watcher)
      await below(folder, depth, wanted)
    } catch {
      drop(folder)
    }
  }
  const below = async (folder: string, depth: number, wanted: (name: string) => boolean): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true })
    const watched = [...watchers.keys()].filter((each) => each.startsWith(`${folder}/`))
    const there = new Set(entries.map(({ name }) => name))
    for (const each of watched)
      if (!there.has(each.slice(folder.length + 1).split('/', 1)[0] ?? '')) drop(each)
    if (depth === 0) return
    for (const entry of entries) {
      const path = join(folder, entry.name)
      if (!entry.isDirectory() || !wanted(entry.name) || watchers.has(path)) continue
      await follow(path, depth - 1, () => true)
      note()
    }
  }
  const atTop = (name: string): boolean =>
    name === TITLES_FILE || (ROLLOUT_FOLDERS as readonly string[]).includes(name)
  const begin = () => follow(home, MOST_DEPTH, atTop)
  void begin().then(() => {
    settled = true
  })
  const looking = setInterval(() => settled && void begin(), lookMs)
  const everything = setInterval(note, EVERYTHING_MS)
  looking.unref()
  everything.unref()
  return () => {
    ended = true
    clearInterval(looking)
    clearInterval(everything)
    clearTimeout(timer)
    for (const watcher of watchers.values()) watcher.close()
  }
}
