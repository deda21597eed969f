import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { ArchivedListed, ArchivedSource, Keeps } from '@panoptes/engine/sources'
import {
  type ArchivedSession,
  type ArchiveLimits,
  type CurrentFiles,
  OriginalStore,
  type OriginalsSummary,
  type SessionArchive,
  summarizeOriginals,
} from '@panoptes/engine/store'
import { orThrow } from '@panoptes/engine/worker-rpc'
import type { Failure, Result, SessionRef } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Refreshed } from './refresh.ts'

export interface OriginalsOptions {
  readonly folder: string
  /** Reads the files of further sessions. Without it, those that are kept stay. */
  readonly enabled: boolean
  /** Absent where the archive is off. Then nothing further is kept, and nothing is removed. */
  readonly keeps: Keeps | undefined
  readonly archive: () => Promise<SessionArchive | undefined>
  readonly now?: (() => number) | undefined
}

export interface Captured {
  /** The milliseconds until the files of sessions that are being written are due; null if there are none. */
  readonly again_ms: number | null
  /** Sessions whose files could not be kept. */
  readonly problems: readonly Failure[]
}

/**
 * The files of a session are read once it has been quiet for a while or has grown by this much. So a frame is not
 * as small as a line, and what the agent writes after its last line is read too.
 */
const QUIET_MS = 30_000
const GROWTH_BYTES = 131_072
/** A session that is never quiet is read after this time. */
const MOST_WAIT_MS = 300_000
const LEAST_WAIT_MS = 1_000

const NOTHING: Captured = { again_ms: null, problems: [] }

interface DueSession {
  readonly listed: ArchivedListed
  /** When its change was noticed. */
  readonly since: number
}

/** Keeps the files of sessions, of sources that keep sessions in files. */
export class OriginalsCapture {
  readonly #options: OriginalsOptions
  readonly #store: OriginalStore
  readonly #now: () => number
  #summaries: Map<string, OriginalsSummary> | undefined
  /** Sessions that changed since their files were read, by source and id. */
  readonly #due = new Map<string, Map<string, DueSession>>()
  /** Excluded sessions, with the fingerprint of the version that is. */
  readonly #excluded = new Map<string, string>()
  /** Sources whose excluded sessions were removed. */
  readonly #swept = new Set<string>()

  constructor(options: OriginalsOptions) {
    this.#options = options
    this.#store = new OriginalStore(options.folder)
    this.#now = options.now ?? Date.now
  }

  /** Notices the sessions of a source that changed. */
  follow(source: ArchivedSource): ArchivedSource {
    if (!this.#options.enabled || source.files === undefined) return source
    return { ...source, list: (signal) => this.#followList(source, signal) }
  }

  /** Reads the files of changed sessions. A patient call leaves out those that are being written. */
  async capture(source: ArchivedSource, patient: boolean, signal: AbortSignal): Promise<Captured> {
    const { keeps, archive } = this.#options
    const due = this.#dueSessions(source.name)
    if (keeps === undefined || (due.size === 0 && this.#swept.has(source.name))) return NOTHING
    const archived = orThrow((await (await archive())?.list(source.name)) ?? success([]))
    await this.#removeExcluded(
      source.name,
      archived.filter((session) => !keeps(session)),
    )
    const kept = new Set(archived.filter(keeps).map(({ id }) => id))
    const waits: number[] = []
    const problems: Failure[] = []
    for (const [id, { listed, since }] of due) {
      if (signal.aborted) break
      // A session that could not be read may belong to an excluded project. The next list names it again.
      const files = kept.has(id) ? await findFiles(source, listed) : undefined
      const wait = files?.ok && patient ? await this.#waitMs(source.name, id, files.value, since) : 0
      if (wait > 0) {
        waits.push(wait)
        continue
      }
      const read = files?.ok ? await this.#read(source.name, listed, files.value, signal) : files
      if (read?.ok === false) problems.push(read)
      if (!signal.aborted) due.delete(id)
    }
    return { again_ms: waits.length > 0 ? Math.min(...waits) : null, problems }
  }

  /** Removes the files of those of many sessions that have some. */
  async release(sessions: readonly SessionRef[]): Promise<void> {
    const summaries = await this.#load()
    await this.remove(sessions.filter((session) => summaries.has(sessionKey(session))))
  }

  /** Removes the files of sessions, also if they are damaged, and returns how many sessions had some. */
  async remove(sessions: readonly SessionRef[]): Promise<number> {
    const summaries = await this.#load()
    const removed = orThrow(await this.#store.remove(sessions))
    for (const session of sessions) summaries.delete(sessionKey(session))
    return removed
  }

  /** What the files add to the size of the archive. */
  async beside(): Promise<NonNullable<ArchiveLimits['beside']>> {
    const summaries = await this.#load()
    return {
      total: [...summaries.values()].reduce((sum, { stored_bytes }) => sum + stored_bytes, 0),
      bytes: (session) => summaries.get(sessionKey(session))?.stored_bytes ?? 0,
    }
  }

  async #load(): Promise<Map<string, OriginalsSummary>> {
    this.#summaries ??= new Map(
      orThrow(await this.#store.list()).map((summary) => [sessionKey(summary), summary]),
    )
    return this.#summaries
  }

  #dueSessions(source: string): Map<string, DueSession> {
    const due = this.#due.get(source) ?? new Map<string, DueSession>()
    this.#due.set(source, due)
    return due
  }

  async *#followList(source: ArchivedSource, signal?: AbortSignal): ReturnType<ArchivedSource['list']> {
    const summaries = await this.#load()
    const due = this.#dueSessions(source.name)
    for await (const record of source.list(signal)) {
      if (record.kind === 'listed' && !record.gone && !record.promptsOnly) {
        const key = sessionKey({ source: source.name, id: record.id })
        const stored = [summaries.get(key)?.fingerprint, this.#excluded.get(key)]
        if (!stored.includes(ownFingerprint(record)))
          due.set(record.id, { listed: record, since: due.get(record.id)?.since ?? this.#now() })
      }
      yield record
    }
  }

  async #removeExcluded(source: string, sessions: readonly ArchivedSession[]): Promise<void> {
    await this.release(sessions.map(({ id }) => ({ source, id })))
    for (const { id, own } of sessions) this.#excluded.set(sessionKey({ source, id }), own)
    this.#swept.add(source)
  }

  async #waitMs(source: string, id: string, files: CurrentFiles, since: number): Promise<number> {
    const before = (await this.#load()).get(sessionKey({ source, id }))?.bytes ?? 0
    const { bytes, modified } = await measure(files)
    const quiet = this.#now() - modified
    const waited = this.#now() - since
    if (quiet >= QUIET_MS || waited >= MOST_WAIT_MS || bytes - before >= GROWTH_BYTES) return 0
    return Math.max(LEAST_WAIT_MS, Math.min(QUIET_MS - quiet, MOST_WAIT_MS - waited))
  }

  async #read(
    source: string,
    listed: ArchivedListed,
    files: CurrentFiles,
    signal: AbortSignal,
  ): Promise<Result<null>> {
    const session = { source, id: listed.id, fingerprint: ownFingerprint(listed) }
    const captured = await this.#store.capture(session, files, signal)
    if (!captured.ok) return captured
    const summaries = await this.#load()
    if (captured.value !== undefined) summaries.set(sessionKey(session), summarizeOriginals(captured.value))
    return success(null)
  }
}

const sessionKey = ({ source, id }: SessionRef): string => `${source}\n${id}`

/** The version of the session's own files, whatever others it begins with a copy of. */
const ownFingerprint = ({ own, fingerprint }: ArchivedListed): string => own ?? fingerprint

async function findFiles(source: ArchivedSource, listed: ArchivedListed): Promise<Result<CurrentFiles>> {
  try {
    const { root = '', list } = source.files ?? {}
    return success({ root, paths: (await list?.(listed)) ?? [] })
  } catch (error) {
    return failure(
      'io',
      `The files of ${listed.place} could not be listed: ${(error as Error).message}. Check their permissions.`,
    )
  }
}

async function measure({ root, paths }: CurrentFiles): Promise<{ bytes: number; modified: number }> {
  let [bytes, modified] = [0, 0]
  for (const path of paths) {
    const found = await stat(join(root, path)).catch(() => undefined)
    bytes += found?.size ?? 0
    modified = Math.max(modified, found?.mtimeMs ?? 0)
  }
  return { bytes, modified }
}

/** Adds what the files of sessions need to what their messages need. */
export function withCaptured(read: Refreshed, { again_ms, problems }: Captured): Refreshed {
  const waits = [read.again_ms, again_ms].filter((wait) => wait !== null)
  return {
    ...read,
    again_ms: waits.length > 0 ? Math.min(...waits) : null,
    problems: [...read.problems, ...problems],
  }
}
