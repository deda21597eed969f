import type { IndexChange, IndexedMessage, SessionIndex } from '@panoptes/engine/ledger'
import type { Prices } from '@panoptes/engine/models'
import type { Listed, SessionSource } from '@panoptes/engine/sources'
import type { Failure, Result, Session } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { indexed } from './indexed.ts'

/** Enough for one commit to be worth it, and little enough to be held. */
const MOST_HELD = 4_194_304
const MESSAGES_A_CHANGE = 200

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
  const writer = createWriter(index)
  for (const id of gone) await writer.add({ type: 'drop', source: source.name, id })
  let done = 0
  for (const listed of changed) {
    if (signal?.aborted) break
    const problem = await readInto(writer, listed, options)
    if (problem !== undefined) problems.push(problem)
    done += 1
    options.onProgress?.({ done, total: changed.length })
  }
  const written = await writer.end()
  if (!written.ok) return written
  return success({ read: done, dropped: gone.length, unchanged: there.size - changed.length, problems })
}

interface Writer {
  readonly add: (change: IndexChange) => Promise<void>
  readonly end: () => Promise<Result<null>>
}

/** Gathers changes until a commit is worth it. After a failure nothing more is written. */
function createWriter(index: SessionIndex): Writer {
  let held: IndexChange[] = []
  let size = 0
  let result: Result<null> = success(null)
  const flush = async () => {
    if (held.length > 0 && result.ok) result = await index.write(held)
    held = []
    size = 0
  }
  return {
    add: async (change) => {
      held.push(change)
      size += sizeOf(change)
      if (size >= MOST_HELD) await flush()
    },
    end: async () => {
      await flush()
      return result
    },
  }
}

const sizeOf = (change: IndexChange): number =>
  change.type === 'messages' ? change.messages.reduce((sum, { text }) => sum + text.length + 200, 0) : 200

/** Where a source knows what a whole session took and not what it cost. */
function priced(session: Session, prices: Prices): Session {
  const { usage = null, cost_micro_usd: cost = null, model, started_at } = session
  if (usage === null || cost !== null || model === null) return session
  return { ...session, cost_micro_usd: prices.costOf(model, usage, started_at) }
}

async function readInto(
  writer: Writer,
  listed: Listed,
  { source, prices, signal }: RefreshOptions,
): Promise<Failure | undefined> {
  const of = { source: source.name, id: listed.id }
  let messages: IndexedMessage[] = []
  const flush = async () => {
    if (messages.length > 0) await writer.add({ type: 'messages', ...of, messages })
    messages = []
  }
  await writer.add({ type: 'begin', ...of, place: listed.place })
  for await (const record of source.read(listed, signal)) {
    if (record.kind === 'message') {
      messages.push(indexed(record.message, prices))
      if (messages.length >= MESSAGES_A_CHANGE) await flush()
    } else if (record.kind === 'agent') await writer.add({ type: 'agent', ...of, agent: record.agent })
    else if (record.kind === 'session') {
      await flush()
      await writer.add({ type: 'end', session: priced(record.session, prices) })
    } else if (record.kind === 'failed') {
      await writer.add({ type: 'drop', ...of })
      return record.failure
    }
  }
  return undefined
}
