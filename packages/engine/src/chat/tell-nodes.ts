import type { NewEvent, ProgressEvent } from '@panoptes/schema'

type About = (kind: string, key: string, fields: object) => NewEvent

export interface Nodes {
  readonly told: (data: ProgressEvent, about: About) => readonly NewEvent[]
  /** Agents that have not said that they ended. */
  readonly left: () => readonly string[]
}

/** What works in a run: agents, their tools, and what they ask for. Names are of their run alone, since runtimes use theirs again. */
export function nodesOf(run_id: string, main: string): Nodes {
  const mark = run_id.replace(/^run-/, '').slice(0, 8)
  /** Which agent a node is of; an agent is its own. */
  const agents = new Map<string, string>()
  const tools = new Map<string, string>()
  const open = new Set<string>()
  const idOf = (node: string) => (node.includes(mark) ? node : `${node}-${mark}`)
  const agentOf = (node: string | undefined) => (node === undefined ? main : (agents.get(node) ?? main))

  const ofTool = (data: ProgressEvent, about: About): readonly NewEvent[] => {
    const { node_id, status } = data
    const call = { id: idOf(node_id), agent_id: agentOf(node_id), tool: tools.get(node_id) ?? toolOf(data) }
    const begins = tools.has(node_id) ? [] : [about('tool_use', `${node_id}:use`, call)]
    tools.set(node_id, call.tool)
    const ends = isOver(data)
      ? [about('tool_done', `${node_id}:done`, { ...call, ok: status === 'completed', ...took(data) })]
      : []
    return [...begins, ...ends]
  }
  const ofAgent = (data: ProgressEvent, about: About): readonly NewEvent[] => {
    const { node_id, parent_id, status, label, detail } = data
    const id = idOf(node_id)
    const isNew = !agents.has(node_id)
    agents.set(node_id, id)
    const begins = isNew
      ? [
          about('agent_spawn', `${id}:spawn`, {
            id,
            parent_id: agentOf(parent_id),
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
    const why = status === 'failed' ? { error: label } : status === 'skipped' ? { reason: 'interrupted' } : {}
    return [...begins, about('agent_done', `${id}:end`, { id, ...why, ...took(data) })]
  }
  const ofApproval = (
    { node_id, parent_id, status, label, detail }: ProgressEvent,
    about: About,
  ): readonly NewEvent[] => {
    const tool = parent_id === undefined ? undefined : tools.get(parent_id)
    const asks = {
      agent_id: agentOf(parent_id),
      wait: node_id,
      ...(tool !== undefined && parent_id !== undefined && { tool, call: idOf(parent_id) }),
    }
    if (status === 'started') return [about('agent_wait', `${node_id}:wait`, { ...asks, reason: label })]
    const choice = textIn(detail, 'choice') ?? 'deny'
    return [about('answer', `${node_id}:answer`, { ...asks, choice })]
  }
  return {
    left: () => [...open],
    told: (data, about) => {
      const { node_id, parent_id, kind } = data
      if (kind === 'subagent') return ofAgent(data, about)
      if (parent_id !== undefined || !agents.has(node_id)) agents.set(node_id, agentOf(parent_id))
      if (kind === 'tool') return ofTool(data, about)
      return kind === 'approval' ? ofApproval(data, about) : []
    },
  }
}

const isOver = ({ status }: ProgressEvent): boolean =>
  status === 'completed' || status === 'failed' || status === 'skipped'

const took = ({ elapsed_ms }: ProgressEvent): object =>
  elapsed_ms === undefined ? {} : { duration_ms: Math.round(elapsed_ms) }

/** A label says what is done with a tool, which is different each time. */
const toolOf = ({ detail, label }: ProgressEvent): string =>
  textIn(detail, 'name') ?? textIn(detail, 'tool') ?? label

function textIn(detail: unknown, key: string): string | null {
  const value =
    typeof detail === 'object' && detail !== null ? (detail as Readonly<Record<string, unknown>>)[key] : null
  return typeof value === 'string' && value !== '' ? value : null
}

const NAME = /^[\w.:/-]{1,100}$/
const NAMED = ['name', 'tool', 'model', 'choice']

/** That something works, and not what on: names of tools, models and choices are no words of anybody. */
export function wordless(data: ProgressEvent): ProgressEvent {
  const named = NAMED.flatMap((key) => {
    const text = textIn(data.detail, key)
    return text !== null && NAME.test(text) ? [[key, text] as const] : []
  })
  return { ...data, label: data.kind, detail: Object.fromEntries(named) }
}
