import { redactText } from '@panoptes/engine/redact'
import { type ChatEvent, EVENT_VERSION, type NewEvent, type RuntimeId } from '@panoptes/schema'
import type { LiveRun, RunIdentity, Took } from './run/live-run.ts'
import { nodesOf, wordless } from './tell-nodes.ts'

export interface ChatTellerOptions {
  readonly host: string
  readonly append: (events: readonly NewEvent[]) => unknown
}

export interface AboutRun {
  readonly title: string
  readonly message: string
  /** Who answered first in the conversation: it is the session's own agent, and the others are agents beside it. */
  readonly first: RuntimeId
  /** Whether what it takes is told here, and not where the runtime writes it down itself. */
  readonly isCountedHere: boolean
  /** Everybody in the space sees that it runs; what is said in it is its owner's alone. */
  readonly isPrivate?: boolean | undefined
}

const SOURCE = 'panoptes'
const MAIN = 'main'
const NOTHING: Took = { model: null, usage: null, cost_micro_usd: null }
const PREVIEW = 500

/** Tells Live of a run while it goes on, as of any other agent. */
export const chatTeller =
  ({ host, append }: ChatTellerOptions) =>
  (run: LiveRun, about: AboutRun): void => {
    const eventsOf = teller(host, run.identity, about, () => run.took)
    const told = async () => {
      for await (const event of run.after(0)) {
        const events = eventsOf(event)
        if (events.length > 0) append(events)
      }
    }
    // What Live is told is told beside the run.
    void told().catch(() => {})
  }

/** Tells Live of a run that ended with the process it was in: what was told then is not stored twice. */
export const pastTeller =
  ({ host, append }: ChatTellerOptions) =>
  (identity: RunIdentity, about: AboutRun, events: readonly ChatEvent[]): void => {
    const told = events.flatMap(teller(host, identity, about))
    if (told.length > 0) append(told)
  }

/** What each event of a run is in our vocabulary, in their order. */
function teller(
  host: string,
  { conversation_id, run_id, runtime }: RunIdentity,
  { title, message, first, isCountedHere, isPrivate = false }: AboutRun,
  took: () => Took = () => NOTHING,
) {
  const isFirst = runtime === first
  const agent = isFirst ? MAIN : runtime
  const nodes = nodesOf(run_id, agent)
  let model: string | null = null
  return ({ event: name, data }: ChatEvent): readonly NewEvent[] => {
    const about = (kind: string, key: string, fields: object): NewEvent => ({
      v: EVENT_VERSION,
      key: `chat:${run_id}:${key}`,
      ts: data.ts,
      event: kind,
      source: SOURCE,
      host,
      session_id: conversation_id,
      ...fields,
    })
    const spent = () => {
      const { usage, cost_micro_usd: cost } = took()
      if (!isCountedHere || usage === null) return []
      const paid =
        cost === null ? { cost_status: 'unknown' } : { cost_usd: cost / 1_000_000, cost_status: 'estimated' }
      return [about('usage', 'usage', { agent_id: agent, model: model ?? undefined, ...usage, ...paid })]
    }
    const done = (fields: object) => [
      ...spent(),
      ...nodes.left().map((id) => about('agent_done', `${id}:end`, { id, reason: 'interrupted' })),
      about('agent_done', 'done', { id: agent, ...fields }),
    ]
    const says = () => {
      if (name === 'progress') return nodes.told(isPrivate ? wordless(data) : data, about)
      if (name === 'error') return done({ error: isPrivate ? data.code : data.message })
      if (name === 'done') return done(data.outcome === 'cancelled' ? { reason: 'interrupted' } : {})
      return []
    }
    if (name === 'metadata') {
      model = data.model
      return [
        about('session_start', 'start', { ...(!isPrivate && { title }), reason: 'chat' }),
        about('agent_spawn', 'main', {
          id: agent,
          ...(!isFirst && { parent_id: MAIN }),
          subagent_type: runtime,
          model: model ?? undefined,
        }),
        about('prompt', 'prompt', {
          id: run_id,
          agent_id: agent,
          ...(!isPrivate && { prompt_preview: redactText(message.slice(0, PREVIEW)).text }),
        }),
      ]
    }
    const now = took().model ?? model
    if (now === model) return says()
    model = now
    return [about('agent_link', `model:${data.seq}`, { id: agent, model }), ...says()]
  }
}
