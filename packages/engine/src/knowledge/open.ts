import { pause } from '@panoptes/engine/abortable'
import { OnDemandThread } from '@panoptes/engine/worker-rpc'
import type { Result } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { success } from '@panoptes/schema/result'
import type { IndexerCalls, SearcherCalls, WorkerSetup } from './calls.ts'
import { FolderWatch } from './folder-watch.ts'
import type { RefreshResult } from './refresh.ts'
import { folderNames, LIMITS, type Limits } from './walk.ts'

type Calls<C> = { [M in keyof C]: C[M] }

/** A part of a file in the folders that the user configured. */
export interface Passage {
  /** The path, starting with the folder's own name. */
  readonly file: string
  readonly headings: readonly string[]
  readonly text: string
}

export interface FoundKnowledge {
  /** The matches, best first. */
  readonly found: readonly Passage[]
  /** The number of matches including those beyond the limit, as far as they were counted. */
  readonly total: number
  readonly note?: string | undefined
}

/** Searches the user's notes. No method throws. */
export interface Knowledge {
  /**
   * Finds passages related to a text. Folders that were not checked for a while are refreshed in the
   * background.
   */
  readonly lookUp: (
    text: string,
    options: { readonly limit: number; readonly signal?: AbortSignal | undefined },
  ) => Promise<Result<FoundKnowledge>>
  /**
   * Reads what changed in the folders. Only one refresh runs at a time; a call during a refresh gets the
   * result of the next one.
   */
  readonly refresh: () => Promise<Result<KnowledgeRefreshed>>
  readonly close: () => Promise<void>
}

export type KnowledgeRefreshed = Omit<RefreshResult, 'folders'>

export interface KnowledgeOptions {
  /** The index file. It may be deleted at any time. */
  readonly file: string
  /** The folders as absolute paths. */
  readonly folders: readonly string[]
  readonly limits?: Partial<Limits> | undefined
  /** How old the index may be at a search before a refresh starts, in milliseconds. */
  readonly staleMs?: number | undefined
}

/** In the repository the worker is a source file; in the published package it lies next to the bundle. */
const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './knowledge-worker.js',
  import.meta.url,
)

/** Only this many characters of a query are used. */
const MOST_TEXT = 100_000
const STALE_MS = 30_000
/**
 * Large folders with constant changes are refreshed less often: the pause is this multiple of a refresh's
 * duration.
 */
const REST = 10
const MOST_REST_MS = 300_000

/** Without configured folders nothing is opened and nothing is found. */
export async function openKnowledge(options: KnowledgeOptions): Promise<Result<Knowledge>> {
  const { file, folders, limits, staleMs = STALE_MS } = options
  if (folders.length === 0) return success(NOTHING)
  const thread = <C extends { close(): null } & Record<string, (...args: never[]) => unknown>>(
    role: WorkerSetup['role'],
  ) => {
    const data = (): WorkerSetup => ({ role, file, limits: { ...LIMITS, ...limits } })
    return new OnDemandThread<C>({
      script: SCRIPT,
      name: `knowledge-${role}`,
      data,
      what: `The index ${file}`,
    })
  }
  const indexer = thread<Calls<IndexerCalls>>('indexer')
  const made = await indexer.call('open', [])
  if (!made.ok) {
    await indexer.close()
    return made
  }
  return success(createKnowledge(indexer, thread<Calls<SearcherCalls>>('searcher'), folders, staleMs))
}

const NOTHING: Knowledge = {
  lookUp: async () => success({ found: [], total: 0 }),
  refresh: async () => success({ files: 0, read: 0, dropped: 0, notes: [] }),
  close: async () => {},
}

function createKnowledge(
  indexer: OnDemandThread<Calls<IndexerCalls>>,
  searcher: OnDemandThread<Calls<SearcherCalls>>,
  folders: readonly string[],
  staleMs: number,
): Knowledge {
  const names = folderNames([...new Set(folders)])
  const stop = new AbortController()
  let running: Promise<Result<KnowledgeRefreshed>> | undefined
  let next: Promise<Result<KnowledgeRefreshed>> | undefined
  let refreshedAt = Number.NEGATIVE_INFINITY
  /** The pause before folders are refreshed again automatically, in milliseconds. */
  let rest = 0
  let isChanged = false
  let isFollowing = false
  /** Notes about the folders as of the last refresh. */
  let notes: readonly string[] = []
  /** The progress of the first read. */
  let first: string | undefined = 'your notes are still being read'

  const once = async (): Promise<Result<KnowledgeRefreshed>> => {
    const onProgress = (done: number, total: number) => {
      if (first !== undefined) first = `your notes are still being read, ${done} of ${plural(total, 'file')}`
    }
    const began = performance.now()
    const read = await indexer.call('refresh', [folders], { onProgress, signal: stop.signal })
    refreshedAt = performance.now()
    rest = Math.min(MOST_REST_MS, REST * (refreshedAt - began))
    first = undefined
    notes = read.ok ? read.value.notes : [read.message]
    if (!read.ok) return read
    const { folders: seen, ...summary } = read.value
    if (!stop.signal.aborted) watched.follow(seen)
    return success(summary)
  }
  const refresh = (): Promise<Result<KnowledgeRefreshed>> => {
    if (running === undefined) {
      running = once().finally(() => {
        running = undefined
      })
      return running
    }
    // Changes since the running refresh began may be missing from it, so another one follows.
    next ??= running.then(() => {
      next = undefined
      return refresh()
    })
    return next
  }
  const follow = async (): Promise<void> => {
    isChanged = true
    if (isFollowing) return
    isFollowing = true
    while (isChanged && !stop.signal.aborted) {
      isChanged = false
      await refresh()
      await pause(rest, stop.signal, { ref: false })
    }
    isFollowing = false
  }
  const watched = new FolderWatch(() => void follow())
  void refresh()

  return {
    lookUp: async (text, { limit, signal }) => {
      if (running === undefined && performance.now() - refreshedAt > staleMs + rest) void refresh()
      const found = await searcher.call('search', [text.slice(0, MOST_TEXT), limit], { signal })
      if (!found.ok) return found
      const { passages, total } = found.value
      const allNotes = first === undefined ? notes : [first, ...notes]
      return success({
        found: passages.map(({ folder, path, headings, text }) => ({
          file: `${names.get(folder) ?? folder}/${path}`,
          headings,
          text,
        })),
        total,
        ...(allNotes.length > 0 && { note: allNotes.join('; ') }),
      })
    },
    refresh,
    close: async () => {
      stop.abort()
      watched.close()
      await running
      // The last connection to close cleans up the file, and only the writing one can.
      await searcher.close()
      await indexer.close()
    },
  }
}
