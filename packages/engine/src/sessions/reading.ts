import { type Prices, pricedCalls } from '@panoptes/engine/models'
import { cleanProject, redactText } from '@panoptes/engine/redact'
import type { Listed, SessionSource } from '@panoptes/engine/sources'
import type { Session, SessionAgent } from '@panoptes/schema'
import { Called } from './call-names.ts'
import { indexed } from './index-message.ts'
import { Gathering, type ReadPart } from './read-part.ts'

export interface ReadJob {
  readonly source: SessionSource
  readonly listed: readonly Listed[]
  readonly prices: Prices
  readonly signal?: AbortSignal | undefined
  /** A clock in milliseconds that measures slow reads. */
  readonly now?: (() => number) | undefined
}

/** Reads sessions into changes for the index. */
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
    let isComplete = false
    let began = now()
    gathering.add({ type: 'begin', ...of, place: one.place })
    for await (const record of source.read(one, signal)) {
      if (record.kind === 'message') gathering.say(of, indexed(record.message, prices, called))
      else if (record.kind === 'agent')
        gathering.add({ type: 'agent', ...of, agent: redactedAgent(record.agent) })
      else if (record.kind === 'session')
        gathering.add({ type: 'end', session: redactedSession(priced(record.session, prices)) })
      else if (record.kind === 'failed') gathering.fail(of, record.failure)
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

/**
 * Computes the cost when a source knows the usage of a whole session, or of an auxiliary call, but not its
 * cost.
 */
function priced(session: Session, prices: Prices): Session {
  const { usage = null, cost_micro_usd: cost = null, model, started_at } = session
  const client_spending = pricedCalls(session, prices)
  const own = client_spending === undefined ? session : { ...session, client_spending }
  if (usage === null || cost !== null || model === null) return own
  return { ...own, cost_micro_usd: prices.costOfSum(model, usage, started_at) }
}

const clean = (text: string | null): string | null => (text === null ? null : redactText(text).text)

/**
 * Removes secrets from the texts of a session that the index stores. Its id and place stay, because they are
 * needed to read it again.
 */
const redactedSession = (session: Session): Session => ({
  ...session,
  title: clean(session.title),
  project: session.project === null ? null : cleanProject(session.project, session.cwd),
  cwd: clean(session.cwd),
  git_branch: clean(session.git_branch),
  model: clean(session.model),
})

const redactedAgent = (agent: SessionAgent): SessionAgent => ({
  ...agent,
  subagent_type: clean(agent.subagent_type),
  description: clean(agent.description),
})
