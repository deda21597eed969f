import { redactText } from '@panoptes/engine/redact'
import {
  type ChatEvent,
  EVENT_VERSION,
  type NewEvent,
  type Outcome,
  type ProgressEvent,
  type RuntimeId,
} from '@panoptes/schema'
import type { LiveRun, RunIdentity } from './run/live-run.ts'

type About = (kind: string, key: string, fields: object) => NewEvent

interface NodeTracker {
  readonly toEvents: (data: ProgressEvent, about: About) => readonly NewEvent[]
  /** Agents that have not reported their end. */
  readonly openAgents: () => readonly string[]
}

/**
 * Tracks the agents, tools and approvals of a run. Node names are unique only within a run, because
 * runtimes reuse them.
 */
function createNodeTracker(run_id: string, main: string): NodeTracker {
  const mark = run_id.replace(/^run-/, '').slice(0, 8)
  /** Maps a node to its agent; an agent maps to itself. */
  const agents = new Map<string, string>()
  const tools = new Map<string, string>()
  const open = new Set<string>()
  const nodeId = (node: string) => (node.includes(mark) ? node : `${node}-${mark}`)
  const agentId = (node: string | undefined) => (node === undefined ? main : (agents.get(node) ?? main))

  const toToolEvents = (data: ProgressEvent, about: About): readonly NewEvent[] => {
    const { node_id } = data
    const call = {
      id: nodeId(node_id),
      agent_id: agentId(node_id),
      tool: tools.get(node_id) ?? toolName(data),
    }
    const begins = tools.has(node_id) ? [] : [about('tool_use', `${node_id}:use`, call)]
    tools.set(node_id, call.tool)
    const ends = isOver(data)
      ? [about('tool_done', `${node_id}:done`, { ...call, ...toolOutcome(data) })]
      : []
    return [...begins, ...ends]
  }
  const toAgentEvents = (data: ProgressEvent, about: About): readonly NewEvent[] => {
    const { node_id, parent_id, status, label, detail } = data
    const id = nodeId(node_id)
    const isNew = !agents.has(node_id)
    agents.set(node_id, id)
    const begins = isNew
      ? [
          about('agent_spawn', `${id}:spawn`, {
            id,
            parent_id: agentId(parent_id),
            subagent_type: label,
            model: textIn(detail, 'model') ?? undefined,
          }),
        ]
      : []
    if (!isOver(data)) {
      if (isNew) open.add(id)
      return begins
    }
    open.delete(id)
    const skipped = { reason: 'interrupted', outcome: 'stopped' }
    const why = status === 'failed' ? { error: label } : status === 'skipped' ? skipped : {}
    return [...begins, about('agent_done', `${id}:end`, { id, ...why, ...durationFields(data) })]
  }
  const toApprovalEvents = (
    { node_id, parent_id, status, label, detail }: ProgressEvent,
    about: About,
  ): readonly NewEvent[] => {
    const tool = parent_id === undefined ? undefined : tools.get(parent_id)
    const asks = {
      agent_id: agentId(parent_id),
      wait: node_id,
      ...(tool !== undefined && parent_id !== undefined && { tool, call: nodeId(parent_id) }),
    }
    if (status === 'started') return [about('agent_wait', `${node_id}:wait`, { ...asks, reason: label })]
    const choice = textIn(detail, 'choice') ?? 'deny'
    return [about('answer', `${node_id}:answer`, { ...asks, choice })]
  }
  return {
    openAgents: () => [...open],
    toEvents: (data, about) => {
      const { node_id, parent_id, kind } = data
      if (kind === 'subagent') return toAgentEvents(data, about)
      if (parent_id !== undefined || !agents.has(node_id)) agents.set(node_id, agentId(parent_id))
      if (kind === 'tool') return toToolEvents(data, about)
      return kind === 'approval' ? toApprovalEvents(data, about) : []
    },
  }
}

const isOver = ({ status }: ProgressEvent): boolean =>
  status === 'completed' || status === 'failed' || status === 'skipped'

const durationFields = ({ elapsed_ms }: ProgressEvent): object =>
  elapsed_ms === undefined ? {} : { duration_ms: Math.round(elapsed_ms) }

/** A denied or interrupted call is neither success nor failure, and its duration says nothing of its tool. */
const toolOutcome = (data: ProgressEvent): object =>
  data.status === 'skipped' ? {} : { ok: data.status === 'completed', ...durationFields(data) }

/** Prefers the tool's name, because a label describes the call and differs every time. */
const toolName = ({ detail, label }: ProgressEvent): string =>
  textIn(detail, 'name') ?? textIn(detail, 'tool') ?? label

function textIn(detail: unknown, key: string): string | null {
  const value =
    typeof detail === 'object' && detail !== null ? (detail as Readonly<Record<string, unknown>>)[key] : null
  return typeof value === 'string' && value !== '' ? value : null
}

const NAME = /^[\w.:/-]{1,100}$/
const NAME_KEYS = ['name', 'tool', 'model', 'choice']

/**
 * Keeps that something works but not what it works on. Names of tools, models and choices are not
 * the user's words.
 */
function stripText(data: ProgressEvent): ProgressEvent {
  const named = NAME_KEYS.flatMap((key) => {
    const text = textIn(data.detail, key)
    return text !== null && NAME.test(text) ? [[key, text] as const] : []
  })
  return { ...data, label: data.kind, detail: Object.fromEntries(named) }
}

export interface ChatReporterOptions {
  readonly host: string
  readonly append: (events: readonly NewEvent[]) => unknown
}

export interface RunDetails {
  readonly title: string
  readonly message: string
  /**
   * The runtime that answered first. It is the session's main agent; other runtimes are agents
   * beside it.
   */
  readonly first: RuntimeId
  /** Whether usage is reported here instead of being recorded by the runtime itself. */
  readonly isCountedHere: boolean
  /** Everyone in the space sees that the run is active, but only its owner sees the text. */
  readonly isPrivate?: boolean | undefined
}

const SOURCE = 'panoptes'
const MAIN = 'main'
const NOTHING = { took: { model: null, usage: null, cost_micro_usd: null }, sessions: [] }
/**
 * What happens to an agent's own session when the run ended this way, because its process was ended
 * or died.
 */
const SESSION_OUTCOMES: Readonly<Record<string, Outcome>> = { timed_out: 'stopped', died: 'lost' }
const PREVIEW = 500

/** Reports a run to Live while it is active, like any other agent. */
export const createChatReporter =
  ({ host, append }: ChatReporterOptions) =>
  (run: LiveRun, about: RunDetails): void => {
    const toEvents = createEventTranslator(host, run.identity, about, () => run)
    const follow = async () => {
      for await (const event of run.after(0)) {
        const events = toEvents(event)
        if (events.length > 0) append(events)
      }
    }
    // Live follows the run in the background.
    void follow().catch(() => {})
  }

/**
 * Reports a run whose process ended before it. Events that were already reported are not stored
 * twice.
 */
export const createPastRunReporter =
  ({ host, append }: ChatReporterOptions) =>
  (identity: RunIdentity, about: RunDetails, events: readonly ChatEvent[]): void => {
    const newEvents = events.flatMap(createEventTranslator(host, identity, about))
    if (newEvents.length > 0) append(newEvents)
  }

/** Translates each event of a run into store events, in order. */
function createEventTranslator(
  host: string,
  { conversation_id, run_id, runtime }: RunIdentity,
  { title, message, first, isCountedHere, isPrivate = false }: RunDetails,
  of: () => Pick<LiveRun, 'took' | 'sessions'> = () => NOTHING,
) {
  const isFirst = runtime === first
  const agent = isFirst ? MAIN : runtime
  const nodes = createNodeTracker(run_id, agent)
  let model: string | null = null
  return ({ event: name, data }: ChatEvent): readonly NewEvent[] => {
    const createEvent = (kind: string, key: string, fields: object): NewEvent => ({
      v: EVENT_VERSION,
      key: `chat:${run_id}:${key}`,
      ts: data.ts,
      event: kind,
      source: SOURCE,
      host,
      session_id: conversation_id,
      ...fields,
    })
    const createUsageEvents = () => {
      const { usage, cost_micro_usd: cost } = of().took
      if (!isCountedHere || usage === null) return []
      const paid =
        cost === null ? { cost_status: 'unknown' } : { cost_usd: cost / 1_000_000, cost_status: 'estimated' }
      return [
        createEvent('usage', 'usage', { agent_id: agent, model: model ?? undefined, ...usage, ...paid }),
      ]
    }
    const createEndEvents = (fields: object) => [
      ...createUsageEvents(),
      ...nodes
        .openAgents()
        .map((id) =>
          createEvent('agent_done', `${id}:end`, { id, reason: 'interrupted', outcome: 'stopped' }),
        ),
      createEvent('agent_done', 'done', { id: agent, ...fields }),
    ]
    /** The agent's own session does not record that the run was interrupted here. */
    const createSessionEndEvents = (outcome: Outcome | undefined) =>
      outcome === undefined
        ? []
        : of().sessions.flatMap(({ source, id }) => {
            const session = { source, session_id: id }
            const reason = 'interrupted'
            return [
              {
                ...createEvent('agent_done', `${source}:${id}:done`, { id: MAIN, outcome, reason }),
                ...session,
              },
              { ...createEvent('session_end', `${source}:${id}:end`, { reason }), ...session },
            ]
          })
    const translate = () => {
      if (name === 'progress') return nodes.toEvents(isPrivate ? stripText(data) : data, createEvent)
      if (name === 'error')
        return [
          ...createEndEvents({ error: isPrivate ? data.code : data.message }),
          ...createSessionEndEvents(SESSION_OUTCOMES[data.code]),
        ]
      if (name === 'done' && data.outcome === 'cancelled')
        return [
          ...createEndEvents({ reason: 'interrupted', outcome: 'stopped' }),
          ...createSessionEndEvents('stopped'),
        ]
      if (name === 'done') return createEndEvents({})
      return []
    }
    if (name === 'metadata') {
      model = data.model
      return [
        createEvent('session_start', 'start', { ...(!isPrivate && { title }), reason: 'chat' }),
        createEvent('agent_spawn', 'main', {
          id: agent,
          ...(!isFirst && { parent_id: MAIN }),
          subagent_type: runtime,
          model: model ?? undefined,
        }),
        createEvent('prompt', 'prompt', {
          id: run_id,
          agent_id: agent,
          ...(!isPrivate && { prompt_preview: redactText(message).text.slice(0, PREVIEW) }),
        }),
      ]
    }
    const now = of().took.model ?? model
    if (now === model) return translate()
    model = now
    return [createEvent('agent_link', `model:${data.seq}`, { id: agent, model }), ...translate()]
  }
}
