import type { OwnPrice } from '@panoptes/engine/models'
import type { ArchiveSettings } from '@panoptes/engine/sources'
import { openSources, type ReadSessions } from '@panoptes/engine/sources'
import {
  type AnnotationStore,
  type Forgotten,
  type ForgottenCounts,
  ForgottenSessions,
  type SearchQuery,
  type SessionFilter,
  type SessionListQuery,
  type SessionWork,
  type StoreLocation,
} from '@panoptes/engine/store'
import { OnDemandThread } from '@panoptes/engine/worker-rpc'
import type {
  FoundMessage,
  IndexStatus,
  OutlineReply,
  PastMessage,
  PastSession,
  Result,
  SavedSessions,
  SessionRef,
  StatsGroup,
  StatsRow,
  TranscriptReply,
} from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { NOTHING_MARKED, withMarks } from './annotations.ts'
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
import { READING_YOUNG_MB } from './reader.ts'
import type { RecalledMessages, RecallOptions } from './recall.ts'
import { toSavedSessions } from './saved-sessions.ts'
import { type IndexerThread, SourceReads } from './source-reads.ts'
import { notYetRead } from './unread-sources.ts'

type Calls<C> = { [M in keyof C]: C[M] }

export interface SessionsOptions {
  readonly file: string
  readonly env?: Readonly<Record<string, string | undefined>> | undefined
  /** The location of the store. A shared store also contains everybody's uploaded sessions. */
  readonly place?: StoreLocation | undefined
  readonly prices?: Readonly<Record<string, OwnPrice>> | undefined
  /** The file with downloaded prices, which may be missing. */
  readonly catalogue?: string | undefined
  /** Sessions that were last active longer ago are not kept; null keeps them as long as the agents do. */
  readonly maxAgeDays?: number | null | undefined
  /** Which sessions are kept beyond the life of their source. */
  readonly archive?: ArchiveSettings | undefined
  /** The folder for the files of sessions, which are kept if the settings of the archive say so. */
  readonly originals?: string | undefined
  /** The index of an older version, which is deleted once every source was read. */
  readonly former?: string | undefined
  /** Sessions that must not be read, whatever the sources contain. */
  readonly forgotten?: Forgotten | undefined
  /** The time zone that determines days; defaults to that of this computer. */
  readonly zone?: string | undefined
  /** Returns the names of skills, which a slash command may refer to. */
  readonly skills?: (() => Promise<readonly string[]>) | undefined
  /**
   * Returns the time by which sessions are too old, or null if it cannot be trusted. Defaults to the clock of this
   * computer.
   */
  readonly now?: (() => Promise<number | null>) | undefined
  /** People's annotations; without them no session is annotated. */
  readonly marked?: Pick<AnnotationStore, 'list'> | undefined
}

interface ByTag {
  readonly tag?: string | undefined
}

/** Lists, searches and reads the past sessions of every source. No method throws. */
export interface Sessions {
  readonly list: (query: SessionListQuery & ByTag) => Promise<Result<readonly PastSession[]>>
  /** Sessions with stored data that no list shows: partly read, or too old. */
  readonly hidden: () => Promise<Result<readonly SessionRef[]>>
  /** The totals of each session, newest first. */
  readonly works: (query: SessionListQuery) => Promise<Result<readonly SessionWork[]>>
  readonly stats: (filter: SessionFilter & ByTag, by: StatsGroup) => Promise<Result<readonly StatsRow[]>>
  /** Searches messages. The search stops when its signal aborts. */
  readonly search: (
    query: SearchQuery & ByTag,
    signal?: AbortSignal,
  ) => Promise<Result<readonly FoundMessage[]>>
  /** Finds messages related to a text, best first, as far as a few milliseconds allow. */
  readonly recall: (
    text: string,
    options: RecallOptions & { readonly signal?: AbortSignal | undefined },
  ) => Promise<Result<RecalledMessages>>
  readonly transcript: (query: TranscriptQuery) => Promise<Result<TranscriptReply>>
  /** Reads one complete message. */
  readonly message: (query: MessageQuery) => Promise<Result<PastMessage>>
  /** Exports a whole session to a new file, without secrets. */
  readonly export: (query: ExportQuery) => Promise<Result<ExportedFile>>
  /** Summarises a session without its texts: steps, agents, failures. */
  readonly outline: (ref: SessionRef) => Promise<Result<OutlineReply>>
  /** Reads the beginning of a session and nothing more. */
  readonly opening: (session: SessionRef, turns: number) => Promise<Result<Opening>>
  readonly status: () => readonly IndexStatus[]
  /** What is saved of each source, for as long as the archive keeps it. */
  readonly saved: () => Promise<Result<ReadonlyMap<string, SavedSessions>>>
  readonly refresh: ReadSessions['refresh']
  readonly onRead: ReadSessions['onRead']
  /** Deletes these sessions from the index for good; they are not read again. */
  readonly forget: (
    sessions: readonly SessionRef[],
  ) => Promise<Result<ForgottenCounts & { readonly originals: number }>>
  /** Stops reading and showing these sessions; another process deletes them from the index. */
  readonly hide: (sessions: readonly SessionRef[]) => Promise<Result<null>>
  /**
   * Follows changes automatically until the returned function is called, which interrupts the current read.
   */
  readonly follow: () => () => void
  /** Pauses all reading, or resumes it where it stopped. */
  readonly pause: (paused: boolean) => void
  readonly close: () => Promise<void>
}

/** In the repository the worker is a source file; in the published package it lies next to the bundle. */
const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? './worker.ts' : './sessions-worker.js',
  import.meta.url,
)

/** Only this many characters of a text are used to find related messages. */
const MOST_TEXT = 100_000

const NOBODY: Forgotten = { key: new Uint8Array(), hashes: [] }

export async function openSessions({
  file,
  env = process.env,
  place,
  prices = {},
  catalogue,
  maxAgeDays = null,
  archive = { enabled: true, exclude: [], keep_days: null, max_size_mb: null },
  originals,
  former,
  forgotten = NOBODY,
  zone = Intl.DateTimeFormat().resolvedOptions().timeZone,
  skills = async () => [],
  now = async () => Date.now(),
  marked = NOTHING_MARKED,
}: SessionsOptions): Promise<Result<Sessions>> {
  const isShared = place?.kind === 'postgres'
  const hidden = new ForgottenSessions(forgotten)
  const thread = <C extends { close(): null } & Record<string, (...args: never[]) => unknown>>(
    role: Role,
  ) => {
    const data = (): WorkerSetup => ({
      role,
      file,
      env: { ...env },
      place,
      prices,
      forgotten: hidden.all(),
      catalogue: catalogue ?? null,
      maxAgeDays,
      archive,
      originals,
      former: former ?? null,
      zone,
      skills: [],
    })
    const what = isShared ? 'The index of sessions' : `The index ${file}`
    const young = role === 'indexer' ? READING_YOUNG_MB : undefined
    return new OnDemandThread<C>({ script: SCRIPT, name: `sessions-${role}`, data, what, young })
  }
  const indexer: IndexerThread = thread<Calls<IndexerCalls>>('indexer')
  const made = await indexer.call('open', [await now()])
  if (!made.ok) {
    await indexer.close()
    return made
  }
  const searcher = thread<Calls<SearcherCalls>>('searcher')
  const sources = openSources(env, undefined, place)
  const reads = new SourceReads({ indexer, sources, skills, now, isShared })
  return success(
    withMarks(createSessions({ indexer, searcher, reads, hidden, isArchiving: archive.enabled }), marked),
  )
}

interface Parts {
  readonly indexer: IndexerThread
  readonly searcher: OnDemandThread<Calls<SearcherCalls>>
  readonly reads: SourceReads
  /** The sessions that no thread may read or show. */
  readonly hidden: ForgottenSessions
  readonly isArchiving: boolean
}

function createSessions({ indexer, searcher, reads, hidden, isArchiving }: Parts): Sessions {
  /** A thread that starts later finds these sessions in its data. */
  const hideFromSearcher = (refs: readonly SessionRef[]): Promise<Result<null>> => {
    for (const ref of refs) hidden.add(ref)
    return searcher.isRunning ? searcher.call('forget', [refs]) : Promise.resolve(success(null))
  }

  return {
    list: (query) => searcher.call('list', [query]),
    hidden: () => searcher.call('hidden', []),
    works: (query) => searcher.call('works', [query]),
    stats: (filter, by) => searcher.call('stats', [filter, by]),
    search: async (query, signal) => {
      const found = await searcher.call('search', [query], { signal })
      return signal?.aborted ? stoppedEarly() : found
    },
    recall: async (text, { limit, except, signal }) => {
      const args = [text.slice(0, MOST_TEXT), { limit, except }] as const
      const found = await searcher.call('recall', [...args], { signal })
      if (signal?.aborted) return stoppedEarly()
      if (!found.ok) return found
      const notes = [notYetRead(reads.statuses, reads.complete), found.value.note].filter((each) => each)
      return notes.length === 0 ? found : success({ ...found.value, note: notes.join('; ') })
    },
    transcript: (query) => searcher.call('transcript', [query]),
    message: (query) => searcher.call('message', [query]),
    export: (query) => searcher.call('export', [query]),
    outline: (ref) => searcher.call('outline', [ref]),
    opening: ({ source, id }, turns) => searcher.call('opening', [{ source, id, turns }]),
    status: () => reads.statuses,
    saved: async () => {
      const counts = await searcher.call('archiveCounts', [])
      if (!counts.ok) return counts
      const saved = reads.statuses.map((status) => {
        const count = counts.value.find(({ source }) => source === status.source)
        const isComplete = reads.complete.has(status.source)
        return [status.source, toSavedSessions({ isArchiving, status, isComplete, count })] as const
      })
      return success(new Map(saved))
    },
    refresh: reads.refresh,
    onRead: reads.onRead,
    forget: async (refs) => {
      const unseen = await hideFromSearcher(refs)
      if (!unseen.ok) return unseen
      const forgotten = await indexer.call('forget', [refs])
      reads.readAllSoon()
      return forgotten
    },
    hide: async (refs) => {
      // Each process is told several times, and being told interrupts reads.
      if (refs.every(({ source, id }) => hidden.has(source, id))) return success(null)
      const unseen = await hideFromSearcher(refs)
      if (!unseen.ok || !indexer.isRunning) return unseen
      // Another process counts and deletes the sessions, so only what was interrupted is read again.
      return reads.interrupt(() => indexer.call('hide', [refs]))
    },
    follow: () => reads.follow(),
    pause: (paused) => reads.pause(paused),
    close: async () => {
      reads.close()
      // The last connection to close cleans up the file, and only the writing one can.
      await searcher.close()
      await indexer.close()
    },
  }
}

/** A worker may finish a search before it learns that nobody waits any more. */
const stoppedEarly = () => failure('stopped', 'The search was stopped before it finished.')
