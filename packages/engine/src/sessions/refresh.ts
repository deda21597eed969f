import type { SessionIndex } from '@panoptes/engine/ledger'
import { type Listed, Pace, type SessionSource } from '@panoptes/engine/sources'
import type { Failure, Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { ReadPart } from './read-part.ts'

export interface Progress {
  /** Sessions that were read, of those that changed. */
  readonly done: number
  readonly total: number
}

export interface Refreshed {
  readonly read: number
  readonly dropped: number
  readonly unchanged: number
  /** When what changed and was left alone for now is to be read, in milliseconds. */
  readonly again_ms: number | null
  /** What could not be read. */
  readonly problems: readonly Failure[]
}

export interface RefreshOptions {
  readonly source: SessionSource
  readonly index: SessionIndex
  /** Reads these sessions of the source, in their order. */
  readonly read: (listed: readonly Listed[], signal?: AbortSignal) => AsyncIterable<ReadPart>
  /** Who was read lately, and whether that is minded. */
  readonly pace?: Pace | undefined
  readonly patient?: boolean | undefined
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/**
 * Brings the index up to date with one source: only sessions whose fingerprint changed are read, the newest first. Stopped
 * half-way it goes on there the next time. There is one at a time of each source.
 */
export async function refresh(options: RefreshOptions): Promise<Result<Refreshed>> {
  const { source, index, signal, pace = new Pace(), patient = false } = options
  const known = await index.known(source.name)
  if (!known.ok) return known
  const hidden = await index.hidden()
  if (!hidden.ok) return hidden
  const problems: Failure[] = []
  const there = new Set<string>()
  const changed: Listed[] = []
  const waits: number[] = []
  let listedAll = true
  for await (const record of source.list(signal)) {
    if (record.kind === 'failed') {
      problems.push(record.failure)
      listedAll = false
      continue
    }
    there.add(record.id)
    if (known.value.get(record.id) === record.fingerprint) continue
    const wait = patient ? pace.waitOf(record.id) : 0
    if (wait > 0) waits.push(wait)
    else changed.push(record)
  }
  // What could not be listed is not gone.
  const gone = listedAll && !signal?.aborted ? [...known.value.keys()].filter((id) => !there.has(id)) : []
  const batch = index.batch()
  // What was begun before now was left by a read that is over.
  const left = hidden.value.filter((each) => each.source === source.name && each.why === 'begun')
  let written = await batch.add([
    ...left.map(({ id }) => ({ type: 'leave' as const, source: source.name, id })),
    ...gone.map((id) => ({ type: 'drop' as const, source: source.name, id })),
  ])
  const open = new OpenSession(pace)
  let done = 0
  if (written.ok && changed.length > 0) {
    for await (const part of options.read(changed, signal)) {
      written = await batch.add(part.changes)
      open.saw(part)
      problems.push(...part.problems)
      done += part.done
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
    dropped: gone.length,
    unchanged: there.size - changed.length - waits.length,
    again_ms: waits.length > 0 ? Math.min(...waits) : null,
    problems,
  })
}

/** A session that comes in so many parts is a large one. */
const LARGE = 8

/** The one that was begun and not ended yet, and how long it has taken. */
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
