import type { Prices } from '@panoptes/engine/models'
import type { Listed, SessionSource } from '@panoptes/engine/sources'
import type { Session } from '@panoptes/schema'
import { Called } from './called.ts'
import { indexed } from './indexed.ts'
import { Gathering, type ReadPart } from './read-part.ts'

export interface ReadJob {
  readonly source: SessionSource
  readonly listed: readonly Listed[]
  readonly prices: Prices
  readonly signal?: AbortSignal | undefined
  /** In milliseconds, to know what takes long. */
  readonly now?: (() => number) | undefined
}

/** Reads sessions into what the index has to be told of them. */
export async function* readAll({
  source,
  listed,
  prices,
  signal,
  now = () => performance.now(),
}: ReadJob): AsyncGenerator<ReadPart, undefined> {
  const gathering = new Gathering()
  for (const one of listed) {
    if (signal?.aborted) break
    const of = { source: source.name, id: one.id }
    const called = new Called()
    let known = false
    let began = now()
    gathering.add({ type: 'begin', ...of, place: one.place })
    for await (const record of source.read(one, signal)) {
      if (record.kind === 'message') gathering.say(of, indexed(record.message, prices, called))
      else if (record.kind === 'agent') gathering.add({ type: 'agent', ...of, agent: record.agent })
      else if (record.kind === 'session')
        gathering.add({ type: 'end', session: priced(record.session, prices) })
      else if (record.kind === 'failed') gathering.fail(of, record.failure)
      known ||= record.kind === 'session' || record.kind === 'failed'
      if (!gathering.isFull()) continue
      // What is done with a part takes its own time.
      const left = now()
      yield gathering.take()
      began += now() - left
    }
    gathering.close(known, now() - began)
  }
  yield gathering.take()
}

/** Where a source knows what a whole session took and not what it cost. */
function priced(session: Session, prices: Prices): Session {
  const { usage = null, cost_micro_usd: cost = null, model, started_at } = session
  if (usage === null || cost !== null || model === null) return session
  return { ...session, cost_micro_usd: prices.costOfSum(model, usage, started_at) }
}
