import { redactText } from '@panoptes/engine/redact'
import { type ChatEvent, EVENT_VERSION, type NewEvent } from '@panoptes/schema'
import type { LiveRun, RunIdentity } from './run/live-run.ts'
import { MAIN, nodesOf } from './tell-nodes.ts'

export interface ChatTellerOptions {
  readonly host: string
  readonly append: (events: readonly NewEvent[]) => unknown
}

export interface AboutRun {
  readonly title: string
  readonly message: string
}

const SOURCE = 'panoptes'
const PREVIEW = 500

/** Tells Live of a run while it goes on, as of any other agent. */
export const chatTeller =
  ({ host, append }: ChatTellerOptions) =>
  (run: LiveRun, about: AboutRun): void => {
    const eventsOf = teller(host, run.identity, about)
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
  { title, message }: AboutRun,
) {
  const nodes = nodesOf(run_id)
  let model: string | undefined
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
    const done = (fields: object) => [
      ...nodes.left().map((id) => about('agent_done', `${id}:end`, { id, reason: 'interrupted' })),
      about('agent_done', 'done', { id: MAIN, ...fields }),
    ]
    if (name === 'progress') return nodes.told(data, about)
    if (name === 'metadata') {
      model = data.model ?? undefined
      return [
        about('session_start', 'start', { title, reason: 'chat' }),
        about('agent_spawn', 'main', { id: MAIN, subagent_type: runtime, model }),
        about('prompt', 'prompt', {
          id: run_id,
          agent_id: MAIN,
          prompt_preview: redactText(message.slice(0, PREVIEW)).text,
        }),
      ]
    }
    if (name === 'error') return done({ error: data.message })
    if (name !== 'done') return []
    return [
      // What others took is told where they tell it themselves.
      ...(runtime === 'jarvis' && data.usage
        ? [
            about('usage', 'usage', {
              agent_id: MAIN,
              model,
              ...data.usage,
              ...(data.cost?.usd == null
                ? { cost_status: 'unknown' }
                : { cost_usd: data.cost.usd, cost_status: 'estimated' }),
            }),
          ]
        : []),
      ...done(data.outcome === 'cancelled' ? { reason: 'interrupted' } : {}),
    ]
  }
}
