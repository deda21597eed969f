import { setTimeout as delay } from 'node:timers/promises'
import { Thread } from '@panoptes/engine/threads'
import type { Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { IndexerCalls, SearcherCalls, WorkerSetup } from './calls.ts'
import { namesOf } from './folders.ts'
import type { Refreshed } from './refresh.ts'
import { LIMITS, type Limits } from './walk.ts'

type Calls<C> = { [M in keyof C]: C[M] }

/** A part of a file in the folders that the person points at. */
export interface Passage {
  /** From the folder's own name on. */
  readonly file: string
  readonly headings: readonly string[]
  readonly text: string
}

export interface FoundKnowledge {
  /** The best first. */
  readonly found: readonly Passage[]
  /** With those that the limit left out, as many as were looked at. */
  readonly total: number
  readonly note?: string | undefined
}

/** What a person's notes say. No method throws. */
export interface Knowledge {
  /** What has to do with a text. Folders that were not looked at for a while are looked at anew meanwhile. */
  readonly lookUp: (
    text: string,
    options: { readonly limit: number; readonly signal?: AbortSignal | undefined },
  ) => Promise<Result<FoundKnowledge>>
  /** Reads what changed in the folders. There is one at a time: who asks meanwhile is given what follows it. */
  readonly refresh: () => Promise<Result<KnowledgeRefreshed>>
  readonly close: () => Promise<void>
}

export type KnowledgeRefreshed = Omit<Refreshed, 'folders'>

export interface KnowledgeOptions {
  /** The index; it may be deleted at any time. */
  readonly file: string
  /** As absolute paths. */
  readonly folders: readonly string[]
  readonly limits?: Partial<Limits> | undefined
  /** How old what was read may be when somebody asks, in milliseconds. */
  readonly staleMs?: number | undefined
}

/** In the clone the worker is the source itself; in the published package it lies beside the bundle. */
const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './knowledge-worker.js',
  import.meta.url,
)

/** Characters of a text that are looked at. */
const MOST_TEXT = 100_000
const STALE_MS = 30_000
/** Large folders in which something always changes are looked at less often: so many times as long as a look takes. */
const REST = 10
const MOST_REST_MS = 300_000

/** Where no folder is named nothing is opened, and nothing is found. */
export async function openKnowledge(options: KnowledgeOptions): Promise<Result<Knowledge>> {
  const { file, folders, limits, staleMs = STALE_MS } = options
  if (folders.length === 0) return success(NOTHING)
  const thread = <C extends Record<string, (...args: never[]) => unknown>>(role: WorkerSetup['role']) => {
    const data: WorkerSetup = { role, file, limits: { ...LIMITS, ...limits } }
    return new Thread<C>({ script: SCRIPT, name: `knowledge-${role}`, data, what: `The index ${file}` })
  }
  const indexer = thread<Calls<IndexerCalls>>('indexer')
  const made = await indexer.call('open', [])
  if (!made.ok) {
    await ended(indexer)
    return made
  }
  return success(knowledgeOf(indexer, thread<Calls<SearcherCalls>>('searcher'), folders, staleMs))
}

const NOTHING: Knowledge = {
  lookUp: async () => success({ found: [], total: 0 }),
  refresh: async () => success({ files: 0, read: 0, dropped: 0, notes: [] }),
  close: async () => {},
}

async function ended(thread: Thread<{ close(): null }>): Promise<void> {
  await thread.call('close', [])
  await thread.end()
}

function knowledgeOf(
  indexer: Thread<Calls<IndexerCalls>>,
  searcher: Thread<Calls<SearcherCalls>>,
  folders: readonly string[],
  staleMs: number,
): Knowledge {
  const names = namesOf([...new Set(folders)])
  const stop = new AbortController()
  let running: Promise<Result<KnowledgeRefreshed>> | undefined
  let next: Promise<Result<KnowledgeRefreshed>> | undefined
  let refreshedAt = Number.NEGATIVE_INFINITY
  /** Before folders are looked at again by themselves, in milliseconds. */
  let rest = 0
  /** What is true of the folders as they were read last. */
  let notes: readonly string[] = []
  /** How far the first read is. */
  let first: string | undefined = 'your notes are still being read'

  const once = async (): Promise<Result<KnowledgeRefreshed>> => {
    const onProgress = (done: number, total: number) => {
      if (first !== undefined) first = `your notes are still being read, ${done} of ${total} files`
    }
    const began = performance.now()
    const read = await indexer.call('refresh', [folders], { onProgress, signal: stop.signal })
    refreshedAt = performance.now()
    rest = Math.min(MOST_REST_MS, REST * (refreshedAt - began))
    first = undefined
    notes = read.ok ? read.value.notes : [read.message]
    return read
  }
  const refresh = (): Promise<Result<KnowledgeRefreshed>> => {
    if (running === undefined) {
      running = once().finally(() => {
        running = undefined
      })
      return running
    }
    // What changed since it began may not be in it.
    next ??= running.then(() => {
      next = undefined
      return refresh()
    })
    return next
  }
  const follow = async (): Promise<void> => {
    for (let seen = await indexer.call('changed', []); seen.ok && seen.value; ) {
      await refresh()
      await delay(rest, undefined, { ref: false, signal: stop.signal }).catch(() => undefined)
      seen = await indexer.call('changed', [])
    }
  }
  void refresh()
  void follow()

  return {
    lookUp: async (text, { limit, signal }) => {
      if (running === undefined && performance.now() - refreshedAt > staleMs + rest) void refresh()
      const found = await searcher.call('search', [text.slice(0, MOST_TEXT), limit], { signal })
      if (!found.ok) return found
      const { passages, total } = found.value
      const said = first === undefined ? notes : [first, ...notes]
      return success({
        found: passages.map(({ folder, path, headings, text }) => ({
          file: `${names.get(folder) ?? folder}/${path}`,
          headings,
          text,
        })),
        total,
        ...(said.length > 0 && { note: said.join('; ') }),
      })
    },
    refresh,
    close: async () => {
      stop.abort()
      await running
      // Who closes last tidies the file up, and only the one that writes can.
      await ended(searcher)
      await ended(indexer)
    },
  }
}
