import { type Prices, priceCalls } from '@panoptes/engine/models'
import { redactText } from '@panoptes/engine/redact'
import type { Keeps } from '@panoptes/engine/sources'
import {
  type Fold,
  type FoldRun,
  type Listed,
  redactedAgent,
  redactedMessage,
  redactedSession,
  type SessionRecord,
  type SessionSource,
} from '@panoptes/engine/sources'
import { ChunkBuilder, type FoldRow } from '@panoptes/engine/store'
import type { Session } from '@panoptes/schema'
import { Called } from './call-names.ts'
import { indexed } from './index-message.ts'
import { Gathering, type ReadPart } from './read-part.ts'

export interface ReadJob {
  readonly source: SessionSource
  readonly listed: readonly Listed[]
  readonly prices: Prices
  readonly folds?: readonly Fold[] | undefined
  /** Absent where nothing is archived. */
  readonly archiving?: Archiving | undefined
  readonly signal?: AbortSignal | undefined
  /** A clock in milliseconds that measures slow reads. */
  readonly now?: (() => number) | undefined
}

export interface Archiving {
  readonly keeps: Keeps
  /** The chunks of a session that the archive has, as `SessionArchive.hashes` returns them. */
  readonly hashes: (source: string, id: string) => Promise<ReadonlyMap<number, string>>
}

/** Reads sessions into changes for the index and the archive. */
export async function* readAll({
  source,
  listed,
  prices,
  folds = [],
  archiving,
  signal,
  now = () => performance.now(),
}: ReadJob): AsyncGenerator<ReadPart, undefined> {
  const gathering = new Gathering()
  for (const one of listed) {
    if (signal?.aborted) break
    const of = { source: source.name, id: one.id }
    const called = new Called()
    const chunks = archiving && new ChunkBuilder(await archiving.hashes(of.source, of.id))
    // Prompts alone are no work to count.
    const folding = new Folding(one.promptsOnly ? [] : folds, source.name, one)
    let isComplete = false
    let began = now()
    gathering.add({ type: 'begin', ...of, place: one.place, own: archiving && (one.own ?? one.fingerprint) })
    for await (const record of source.read(one, signal)) {
      if (record.kind === 'message') {
        const message = redactedMessage(record.message)
        const chunk = chunks?.add(message)
        folding.take({ kind: 'message', message })
        gathering.say(of, indexed(message, prices, called))
        if (chunk) gathering.archive({ type: 'chunk', ...of, chunk })
      } else if (record.kind === 'skipped') {
        const part = { place: redactText(record.place).text, reason: redactText(record.reason).text }
        folding.take({ kind: 'skipped', ...part })
        chunks?.skip(part)
      } else if (record.kind === 'agent') {
        const agent = redactedAgent(record.agent)
        folding.take({ kind: 'agent', agent })
        gathering.add({ type: 'agent', ...of, agent })
      } else if (record.kind === 'session') {
        const chunk = chunks?.end()
        if (chunk) gathering.archive({ type: 'chunk', ...of, chunk })
        const session = redactedSession(record.session)
        gathering.add({
          type: 'end',
          session: priced(session, prices),
          archive: archiving && { session, kept: archiving.keeps(session) },
          folds: folding.end(session),
        })
      } else if (record.kind === 'failed') gathering.fail(of, record.failure)
      isComplete ||= record.kind === 'session' || record.kind === 'failed'
      if (!gathering.isFull()) continue
      // The time the consumer takes does not count as reading.
      const left = now()
      yield gathering.take()
      began += now() - left
    }
    gathering.close(isComplete, now() - began)
  }
  yield gathering.take()
}

/** Runs every fold over the records of one session. */
class Folding {
  readonly #runs: readonly { readonly fold: string; readonly run: FoldRun }[]
  readonly #listed: string

  constructor(folds: readonly Fold[], source: string, listed: Listed) {
    const { id, place, fingerprint, own } = listed
    this.#listed = JSON.stringify({ id, place, fingerprint, own })
    this.#runs = folds.flatMap(({ name, start }) => {
      const run = start(source, listed)
      return run === undefined ? [] : [{ fold: name, run }]
    })
  }

  take(record: SessionRecord): void {
    for (const { run } of this.#runs) run.take(record)
  }

  end(session: Session): readonly FoldRow[] {
    return this.#runs.map(({ fold, run }) => {
      const { version, value } = run.end(session)
      return { fold, version, listed: this.#listed, doc: JSON.stringify(value) }
    })
  }
}

/**
 * Computes the cost when a source knows the usage of a whole session, or of an auxiliary call, but not its
 * cost.
 */
function priced(session: Session, prices: Prices): Session {
  const { usage = null, cost_micro_usd: cost = null, model, started_at } = session
  const client_spending = priceCalls(session, prices)
  const own = client_spending === undefined ? session : { ...session, client_spending }
  if (usage === null || cost !== null || model === null) return own
  return { ...own, cost_micro_usd: prices.costOfSum(model, usage, started_at) }
}
