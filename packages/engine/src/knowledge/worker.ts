import { type FSWatcher, watch } from 'node:fs'
import { workerData } from 'node:worker_threads'
import { type KnowledgeIndex, openKnowledgeIndex } from '@panoptes/engine/store'
import { type Handlers, lowerPriority, orThrow, Refused, serve } from '@panoptes/engine/worker-rpc'
import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import type { IndexerCalls, SearcherCalls, WorkerSetup } from './calls.ts'
import { refresh } from './refresh.ts'
import { resolveRoots } from './walk.ts'

const { role, file, limits } = workerData as WorkerSetup
let opened: KnowledgeIndex | undefined

const index = (): KnowledgeIndex => {
  opened ??= orThrow(openKnowledgeIndex(file, { readOnly: role === 'searcher' }))
  return opened
}

const close = (): void => {
  opened?.close()
  opened = undefined
}

function indexer(): Handlers<IndexerCalls> {
  let waiting: ((changed: boolean) => void)[] = []
  let isChanged = false
  const tell = (changed: boolean) => {
    isChanged = changed && waiting.length === 0
    for (const each of waiting) each(changed)
    waiting = []
  }
  const watched = new FolderWatch(() => tell(true))
  lowerPriority()
  return {
    open: () => {
      index()
      return null
    },
    refresh: async ({ stopped, progress }, folders) => {
      isChanged = false
      const roots = resolveRoots(folders)
      const bring = () => refresh({ index: index(), roots, limits, stopped, progress })
      const { folders: seen, ...summary } = await bring().catch((error: unknown) => {
        if (!(error instanceof Refused) || error.failure.code !== 'corrupt') throw error
        // The index is reopened, and rebuilt when it is damaged.
        close()
        return bring()
      })
      if (!stopped()) watched.follow(seen)
      return summary
    },
    changed: () => {
      if (!isChanged) return new Promise<boolean>((resolve) => waiting.push(resolve))
      isChanged = false
      return true
    },
    close: () => {
      watched.close()
      tell(false)
      close()
      return null
    },
  }
}

const searcher = (): Handlers<SearcherCalls> => ({
  search: async (_job, text, most) => {
    const found = await index().search(text, most)
    if (found.ok) return found.value
    // The index may have been rebuilt meanwhile.
    close()
    return orThrow(await index().search(text, most))
  },
  close: () => {
    close()
    return null
  },
})

const failed = (error: unknown): Failure =>
  error instanceof Refused
    ? error.failure
    : failure('io', `The index ${file} failed: ${error instanceof Error ? error.message : String(error)}.`)

/** Changes arrive in bursts, so they are collected for this long. */
const GATHER_MS = 300
/** Changes in further folders are found by periodic refreshes. */
const MOST_WATCHED = 1_000

/** Watches folders, each without its subfolders, and reports when something in one of them changed. */
class FolderWatch {
  readonly #watchers = new Map<string, FSWatcher>()
  readonly #changed: () => void
  #timer: NodeJS.Timeout | undefined

  constructor(changed: () => void) {
    this.#changed = changed
  }

  /** Watches exactly these folders from now on. */
  follow(folders: readonly string[]): void {
    const wanted = new Set(folders.slice(0, MOST_WATCHED))
    for (const folder of this.#watchers.keys()) if (!wanted.has(folder)) this.#drop(folder)
    for (const folder of wanted) if (!this.#watchers.has(folder)) this.#add(folder)
  }

  close(): void {
    clearTimeout(this.#timer)
    for (const folder of [...this.#watchers.keys()]) this.#drop(folder)
  }

  #add(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, () => this.#note())
      watcher.on('error', () => this.#drop(folder))
      this.#watchers.set(folder, watcher)
    } catch {
      // Where the system cannot watch, periodic refreshes find the changes.
    }
  }

  #drop(folder: string): void {
    this.#watchers.get(folder)?.close()
    this.#watchers.delete(folder)
  }

  #note(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#changed()
    }, GATHER_MS)
  }
}

if (role === 'indexer') serve<IndexerCalls>(indexer(), failed)
else serve<SearcherCalls>(searcher(), failed)
