import type {
  Forgotten,
  ForgottenCounts,
  LedgerPlace,
  MarkedSessions,
  SearchQuery,
  SessionFilter,
  SessionListQuery,
  SessionWork,
} from '@panoptes/engine/ledger'
import type { OwnPrice } from '@panoptes/engine/models'
import { openSources, type SessionSource } from '@panoptes/engine/sources'
import { Thread } from '@panoptes/engine/threads'
import type {
  Failure,
  FoundMessage,
  IndexStatus,
  OutlineReply,
  PastMessage,
  PastSession,
  Result,
  SessionRef,
  StatsGroup,
  StatsRow,
  TranscriptReply,
} from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type {
  IndexerCalls,
  MessageQuery,
  Opening,
  Role,
  SearcherCalls,
  TranscriptQuery,
  WorkerSetup,
} from './calls.ts'
import type { ExportedFile, ExportQuery } from './export/export.ts'
import { NOTHING_MARKED, withMarks } from './marked.ts'
import { notYetRead } from './not-yet-read.ts'
import type { RecalledMessages, RecallOptions } from './recall.ts'

type Calls<C> = { [M in keyof C]: C[M] }

export interface SessionsOptions {
  readonly file: string
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** Where the ledger is: one that many share has the sessions of all of them beside it. */
  readonly place?: LedgerPlace | undefined
  readonly prices?: Readonly<Record<string, OwnPrice>> | undefined
  /** Prices that were fetched; the file need not be there. */
  readonly catalogue?: string | undefined
  /** Sessions last active longer ago are not kept; null keeps them as long as the agents do. */
  readonly maxAgeDays?: number | null | undefined
  /** Who is not to be read, whatever the sources have. */
  readonly forgotten?: Forgotten | undefined
  /** What people wrote about them; without it nothing is marked. */
  readonly marked?: Pick<MarkedSessions, 'list'> | undefined
}

interface ByTag {
  readonly tag?: string | undefined
}

/** Past sessions of every source: found, searched, read. No method throws. */
export interface Sessions {
  readonly list: (query: SessionListQuery & ByTag) => Promise<Result<readonly PastSession[]>>
  /** Of whom something is kept that no list shows: half read, or too old. */
  readonly hidden: () => Promise<Result<readonly SessionRef[]>>
  /** What each of them did, in numbers. The newest first. */
  readonly works: (query: SessionListQuery) => Promise<Result<readonly SessionWork[]>>
  readonly stats: (filter: SessionFilter & ByTag, by: StatsGroup) => Promise<Result<readonly StatsRow[]>>
  /** Stops when nobody waits for it any more. */
  readonly search: (
    query: SearchQuery & ByTag,
    signal?: AbortSignal,
  ) => Promise<Result<readonly FoundMessage[]>>
  /** Messages that have to do with a text, the best first; what can be had in a few milliseconds. */
  readonly recall: (
    text: string,
    options: RecallOptions & { readonly signal?: AbortSignal | undefined },
  ) => Promise<Result<RecalledMessages>>
  readonly transcript: (query: TranscriptQuery) => Promise<Result<TranscriptReply>>
  /** One message whole. */
  readonly message: (query: MessageQuery) => Promise<Result<PastMessage>>
  /** Writes a whole session into a file that is not there yet, without the secrets in it. */
  readonly export: (query: ExportQuery) => Promise<Result<ExportedFile>>
  /** The whole without its words: steps, agents, failures. */
  readonly outline: (ref: SessionRef) => Promise<Result<OutlineReply>>
  /** How it began; the rest of it is not read. */
  readonly opening: (session: SessionRef, turns: number) => Promise<Result<Opening>>
  readonly status: () => readonly IndexStatus[]
  /** Reads what changed, in every source. */
  readonly refresh: (signal?: AbortSignal) => Promise<Result<null>>
  /** Takes these out of the index for good: they are not read again. */
  readonly forget: (sessions: readonly SessionRef[]) => Promise<Result<ForgottenCounts>>
  /** Neither reads nor tells of these any more; another process takes them out of the index. */
  readonly hide: (sessions: readonly SessionRef[]) => Promise<Result<null>>
  /** From here on changes are seen by themselves, until the answer is called: what is being read then is left for later. */
  readonly follow: () => () => void
  /** Nothing more is read until it goes on, from where it was. */
  readonly pause: (paused: boolean) => void
  readonly close: () => Promise<void>
}

/** In the clone the worker is the source itself; in the published package it lies beside the bundle. */
const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './sessions-worker.js',
  import.meta.url,
)

/** Characters of a text that are looked at, to find what has to do with it. */
const MOST_TEXT = 100_000

/** Whatever could not be written because something else was at it is tried again. */
const BUSY_MS = 2_000

const NOBODY: Forgotten = { key: new Uint8Array(), hashes: [] }

export async function openSessions({
  file,
  env = process.env,
  place,
  prices = {},
  catalogue,
  maxAgeDays = null,
  forgotten = NOBODY,
  marked = NOTHING_MARKED,
}: SessionsOptions): Promise<Result<Sessions>> {
  const isShared = place?.kind === 'postgres'
  const thread = <C extends Record<string, (...args: never[]) => unknown>>(role: Role) => {
    const data: WorkerSetup = {
      role,
      file,
      env: { ...env },
      place,
      prices,
      forgotten,
      catalogue: catalogue ?? null,
      maxAgeDays,
    }
    const what = isShared ? 'The index of sessions' : `The index ${file}`
    return new Thread<C>({ script: SCRIPT, name: `sessions-${role}`, data, what })
  }
  const indexer = thread<Calls<IndexerCalls>>('indexer')
  const made = await indexer.call('open', [])
  if (!made.ok) {
    await ended(indexer)
    return made
  }
  const searcher = thread<Calls<SearcherCalls>>('searcher')
  const sources = openSources(env, undefined, place)
  return success(withMarks(sessionsOf(indexer, searcher, sources, isShared), marked))
}

async function ended(thread: Thread<{ close(): null }>): Promise<void> {
  await thread.call('close', [])
  await thread.end()
}

function sessionsOf(
  indexer: Thread<Calls<IndexerCalls>>,
  searcher: Thread<Calls<SearcherCalls>>,
  sources: readonly SessionSource[],
  isShared: boolean,
): Sessions {
  const statuses = new Map<string, IndexStatus>(
    sources.map(({ name }) => [name, { source: name, state: 'idle', done: 0, total: 0, problem: null }]),
  )
  const running = new Map<string, Promise<Result<null>>>()
  /** Sources of which all that there was has been read. */
  const through = new Set<string>()
  const again = new Set<string>()
  /** Where somebody waits for all that changed. */
  const hurried = new Set<string>()
  const later = new Map<string, NodeJS.Timeout>()
  const watches: (() => void)[] = []
  const stop = new AbortController()
  /** Ends what is being read; none while it is paused. */
  let going: AbortController | undefined = new AbortController()

  const say = (source: string, status: Partial<IndexStatus>) => {
    const before = statuses.get(source)
    if (before) statuses.set(source, { ...before, ...status })
  }
  const once = async (source: string, signal: AbortSignal): Promise<Failure | undefined> => {
    say(source, { state: 'running', done: 0, total: 0 })
    const onProgress = (done: number, total: number) => say(source, { done, total })
    const halt = going ? AbortSignal.any([signal, going.signal]) : signal
    const read = await indexer.call('refresh', [source, !hurried.delete(source)], {
      onProgress,
      signal: halt,
    })
    clearTimeout(later.get(source))
    const again_ms = read.ok ? read.value.again_ms : read.code === 'busy' ? BUSY_MS : null
    if (again_ms !== null && !stop.signal.aborted)
      later.set(
        source,
        setTimeout(() => void bring(source, stop.signal), again_ms),
      )
    if (read.ok && !halt.aborted) through.add(source)
    const problem = read.ok ? (read.value.problems[0]?.message ?? null) : read.message
    if (going === undefined) say(source, { state: 'paused' })
    else say(source, { state: read.ok ? 'idle' : 'failed', problem })
    return read.ok || halt.aborted ? undefined : read
  }
  /** One at a time for each source; what changes meanwhile is read right after. */
  const bring = async (source: string, signal: AbortSignal): Promise<Result<null>> => {
    // An index that many share is filled by the one process that follows.
    if (going === undefined || (isShared && watches.length === 0)) return success(null)
    const under = running.get(source)
    if (under) {
      again.add(source)
      return under
    }
    const work = (async (): Promise<Result<null>> => {
      let failed: Failure | undefined
      do {
        again.delete(source)
        failed = await once(source, signal)
      } while (failed === undefined && again.has(source) && !signal.aborted && going !== undefined)
      running.delete(source)
      return failed ?? success(null)
    })()
    running.set(source, work)
    return work
  }

  return {
    list: (query) => searcher.call('list', [query]),
    hidden: () => searcher.call('hidden', []),
    works: (query) => searcher.call('works', [query]),
    stats: (filter, by) => searcher.call('stats', [filter, by]),
    search: (query, signal) => searcher.call('search', [query], { signal }),
    recall: async (text, { limit, except, signal }) => {
      const asked = [text.slice(0, MOST_TEXT), { limit, except }] as const
      const found = await searcher.call('recall', [...asked], { signal })
      if (!found.ok) return found
      const notes = [notYetRead(statuses.values(), through), found.value.note].filter((each) => each)
      return notes.length === 0 ? found : success({ ...found.value, note: notes.join('; ') })
    },
    transcript: (query) => searcher.call('transcript', [query]),
    message: (query) => searcher.call('message', [query]),
    export: (query) => searcher.call('export', [query]),
    outline: (ref) => searcher.call('outline', [ref]),
    opening: ({ source, id }, turns) => searcher.call('opening', [{ source, id, turns }]),
    status: () => [...statuses.values()],
    refresh: async (signal = stop.signal) => {
      for (const { name } of sources) hurried.add(name)
      const results = await Promise.all(sources.map(({ name }) => bring(name, signal)))
      return results.find((result) => !result.ok) ?? success(null)
    },
    forget: async (refs) => {
      const hidden = await searcher.call('forget', [refs])
      if (!hidden.ok) return hidden
      const forgotten = await indexer.call('forget', [refs])
      for (const { name } of sources) void bring(name, stop.signal)
      return forgotten
    },
    hide: async (refs) => {
      const hidden = await searcher.call('forget', [refs])
      return hidden.ok ? indexer.call('hide', [refs]) : hidden
    },
    follow: () => {
      const here = sources.map((source) => source.watch(() => void bring(source.name, stop.signal)))
      watches.push(...here)
      return () => {
        for (const unwatch of here) unwatch()
        watches.splice(0, watches.length, ...watches.filter((each) => !here.includes(each)))
        for (const waiting of later.values()) clearTimeout(waiting)
        going?.abort()
        if (going) going = new AbortController()
      }
    },
    pause: (paused) => {
      if (paused === (going === undefined)) return
      going?.abort()
      going = paused ? undefined : new AbortController()
      for (const { name } of sources) {
        if (paused) say(name, { state: 'paused' })
        else void bring(name, stop.signal)
      }
    },
    close: async () => {
      for (const unwatch of watches) unwatch()
      stop.abort()
      for (const waiting of later.values()) clearTimeout(waiting)
      // Who closes last tidies the file up, and only the one that writes can.
      await ended(searcher)
      await ended(indexer)
    },
  }
}
