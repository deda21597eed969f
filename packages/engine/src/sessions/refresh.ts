import type { ArchivedListed, ArchivedSource } from '@panoptes/engine/sources'
import { type Listed, Pace } from '@panoptes/engine/sources'
import type { SessionIndex } from '@panoptes/engine/store'
import type { Failure, Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { ReadPart } from './read-part.ts'

export interface Progress {
  /** The number of changed sessions that were read. */
  readonly done: number
  readonly total: number
}

export interface Refreshed {
  readonly read: number
  /** How many of them were read to their end. */
  readonly written: number
  /** It was stopped, so that there may be more to read. */
  readonly isStopped: boolean
  readonly dropped: number
  readonly unchanged: number
  /** The milliseconds until postponed changes are due. */
  readonly again_ms: number | null
  /** Failures of single sessions. */
  readonly problems: readonly Failure[]
}

export interface RefreshOptions {
  readonly source: ArchivedSource
  readonly index: SessionIndex
  /** Reads these sessions of the source in order. */
  readonly read: (listed: readonly Listed[], signal?: AbortSignal) => AsyncIterable<ReadPart>
  /** Recent reads, and whether they postpone others. */
  readonly pace?: Pace | undefined
  readonly patient?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/**
 * Brings the index up to date with one source. It reads only sessions with a changed fingerprint, newest
 * first, and an interrupted refresh is continued by the next one. Only one refresh per source may run at a
 * time.
 */
export async function refresh(options: RefreshOptions): Promise<Result<Refreshed>> {
  const { source, index, signal, pace = new Pace(), patient = false } = options
  const fingerprints = await index.fingerprints(source.name)
  if (!fingerprints.ok) return fingerprints
  const hidden = await index.hidden()
  if (!hidden.ok) return hidden
  const ofSource = hidden.value.filter((each) => each.source === source.name)
  const aged = new Set(ofSource.filter(({ why }) => why === 'aged').map(({ id }) => id))
  const problems: Failure[] = []
  const there = new Set<string>()
  const changed: ArchivedListed[] = []
  const archivedOnly: string[] = []
  const waits: number[] = []
  let listedAll = true
  for await (const record of source.list(signal)) {
    if (record.kind === 'failed') {
      problems.push(record.failure)
      listedAll = false
      continue
    }
    there.add(record.id)
    if (record.gone) archivedOnly.push(record.id)
    const known = fingerprints.value.get(record.id)
    if (known === record.fingerprint && (!record.unarchived || aged.has(record.id))) continue
    const wait = patient ? pace.remainingMs(record.id) : 0
    if (wait > 0) waits.push(wait)
    else changed.push(known === '' && !record.unarchived ? { ...record, isRemade: true } : record)
  }
  // A session that could not be listed is not treated as deleted.
  const gone =
    listedAll && !signal?.aborted ? [...fingerprints.value.keys()].filter((id) => !there.has(id)) : []
  const batch = index.batch()
  // Partly read sessions from before this refresh were left by an interrupted one.
  const left = ofSource.filter(({ why }) => why === 'begun')
  let written = await batch.add([
    ...left.map(({ id }) => ({ type: 'leave' as const, source: source.name, id })),
    ...gone.map((id) => ({ type: 'drop' as const, source: source.name, id })),
    ...(listedAll && index.archive !== undefined
      ? [{ type: 'gone' as const, source: source.name, ids: archivedOnly, at: Date.now() }]
      : []),
  ])
  const open = new OpenSession(pace)
  let [done, ended] = [0, 0]
  if (written.ok && changed.length > 0) {
    for await (const part of options.read(changed, signal)) {
      written = await batch.add(part.changes)
      open.saw(part)
      problems.push(...part.problems)
      done += part.done
      ended += part.changes.filter(({ type }) => type === 'end').length
      options.onProgress?.({ done, total: changed.length })
      if (!written.ok || signal?.aborted) break
    }
  }
  if (written.ok && open.id !== undefined)
    written = await batch.add([{ type: 'leave', source: source.name, id: open.id }])
  if (written.ok) written = await batch.end()
  if (!written.ok) return written
  return success({
    read: done,
    written: ended,
    isStopped: signal?.aborted === true,
    dropped: gone.length,
    unchanged: there.size - changed.length - waits.length,
    again_ms: waits.length > 0 ? Math.min(...waits) : null,
    problems,
  })
}

/** A session with this many parts is a large one. */
const LARGE = 8

/** The session that is being read, and the time spent on it so far. */
class OpenSession {
  readonly #pace: Pace
  id: string | undefined
  #parts = 0
  #since = 0
  #before = performance.now()

  constructor(pace: Pace) {
    this.#pace = pace
  }

  saw({ changes, slow }: ReadPart): void {
    const now = performance.now()
    for (const { id, ms } of slow) this.#pace.took(id, ms)
    this.#parts += 1
    for (const change of changes) {
      if (change.type === 'begin') {
        this.id = change.id
        this.#parts = 1
        this.#since = this.#before
      } else if (change.type === 'end') {
        if (this.#parts >= LARGE) this.#pace.took(change.session.id, now - this.#since)
        this.id = undefined
      } else if (change.type === 'leave' || change.type === 'drop') this.id = undefined
    }
    this.#before = now
  }
}
