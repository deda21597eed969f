import type { IndexBatch, IndexChange, IndexedMessage, SessionIndex } from '@panoptes/engine/ledger'
import type { Prices } from '@panoptes/engine/models'
import type { Listed, SessionSource } from '@panoptes/engine/sources'
import type { Failure, Result, Session } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { indexed } from './indexed.ts'

/** What is held of a session before it is handed on. A small session is handed on as a whole. */
const MOST_HELD = 1_048_576
const MOST_MESSAGES = 1_000

export interface Progress {
  /** Sessions that were read, of those that changed. */
  readonly done: number
  readonly total: number
}

export interface Refreshed {
  readonly read: number
  readonly dropped: number
  readonly unchanged: number
  /** What could not be read. */
  readonly problems: readonly Failure[]
}

export interface RefreshOptions {
  readonly source: SessionSource
  readonly index: SessionIndex
  readonly prices: Prices
  readonly signal?: AbortSignal | undefined
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/**
 * Brings the index up to date with one source: only sessions whose fingerprint changed are read, the newest first. Stopped
 * half-way it goes on there the next time.
 */
export async function refresh(options: RefreshOptions): Promise<Result<Refreshed>> {
  const { source, index, signal } = options
  const known = await index.known(source.name)
  if (!known.ok) return known
  const problems: Failure[] = []
  const there = new Set<string>()
  const changed: Listed[] = []
  let listedAll = true
  for await (const record of source.list(signal)) {
    if (record.kind === 'failed') {
      problems.push(record.failure)
      listedAll = false
      continue
    }
    there.add(record.id)
    if (known.value.get(record.id) !== record.fingerprint) changed.push(record)
  }
  // What could not be listed is not gone.
  const gone = listedAll && !signal?.aborted ? [...known.value.keys()].filter((id) => !there.has(id)) : []
  const batch = index.batch()
  let written = await batch.add(gone.map((id) => ({ type: 'drop', source: source.name, id })))
  let done = 0
  for (const listed of changed) {
    if (signal?.aborted || !written.ok) break
    const read = await readInto(batch, listed, options)
    written = read.written
    if (read.problem !== undefined) problems.push(read.problem)
    done += 1
    options.onProgress?.({ done, total: changed.length })
  }
  if (written.ok) written = await batch.end()
  if (!written.ok) return written
  return success({ read: done, dropped: gone.length, unchanged: there.size - changed.length, problems })
}

/** Where a source knows what a whole session took and not what it cost. */
function priced(session: Session, prices: Prices): Session {
  const { usage = null, cost_micro_usd: cost = null, model, started_at } = session
  if (usage === null || cost !== null || model === null) return session
  return { ...session, cost_micro_usd: prices.costOf(model, usage, started_at) }
}

async function readInto(
  batch: IndexBatch,
  listed: Listed,
  { source, prices, signal }: RefreshOptions,
): Promise<{ readonly written: Result<null>; readonly problem?: Failure }> {
  const of = { source: source.name, id: listed.id }
  let changes: IndexChange[] = [{ type: 'begin', ...of, place: listed.place }]
  let messages: IndexedMessage[] = []
  let size = 0
  const gather = () => {
    if (messages.length > 0) changes.push({ type: 'messages', ...of, messages })
    messages = []
    size = 0
  }
  for await (const record of source.read(listed, signal)) {
    if (record.kind === 'message') {
      const message = indexed(record.message, prices)
      messages.push(message)
      size += message.text.length
      if (size < MOST_HELD && messages.length < MOST_MESSAGES) continue
      gather()
      const written = await batch.add(changes)
      if (!written.ok) return { written }
      changes = []
    } else if (record.kind === 'agent') changes.push({ type: 'agent', ...of, agent: record.agent })
    else if (record.kind === 'session') {
      gather()
      changes.push({ type: 'end', session: priced(record.session, prices) })
    } else if (record.kind === 'failed')
      return { written: await batch.add([{ type: 'drop', ...of }]), problem: record.failure }
  }
  // Stopped half-way: what was known of it stays, unless some of it was handed on already.
  const whole = changes.at(-1)?.type === 'end'
  return { written: whole ? await batch.add(changes) : success(null) }
}
