import { EVENT_VERSION, type NewEvent, type ProgressEvent } from '@panoptes/schema'
import type { LiveRun } from './run/live-run.ts'

export interface ChatTellerOptions {
  readonly host: string
  readonly append: (events: readonly NewEvent[]) => unknown
}

const SOURCE = 'panoptes'
const MAIN = 'main'
const PREVIEW = 500

/** Tells Live of a run while it goes on, as of any other agent. */
export const chatTeller =
  ({ host, append }: ChatTellerOptions) =>
  (run: LiveRun, { title, message }: { readonly title: string; readonly message: string }): void => {
    const { conversation_id: session_id, run_id, runtime } = run.identity
    const event = (ts: number, kind: string, key: string, fields: object): NewEvent => ({
      v: EVENT_VERSION,
      key: `chat:${run_id}:${key}`,
      ts,
      event: kind,
      source: SOURCE,
      host,
      session_id,
      ...fields,
    })
    const told = async () => {
      for await (const { event: name, data } of run.after(0)) {
        const about = (kind: string, key: string, fields: object) => event(data.ts, kind, key, fields)
        if (name === 'metadata')
          append([
            event(data.ts, 'session_start', 'start', { title, reason: 'chat' }),
            about('agent_spawn', 'main', {
              id: MAIN,
              subagent_type: runtime,
              model: data.model ?? undefined,
            }),
            about('prompt', 'prompt', {
              id: run_id,
              agent_id: MAIN,
              prompt_preview: message.slice(0, PREVIEW),
            }),
          ])
        else if (name === 'progress') append(ofProgress(data, about))
        else if (name === 'error') append([about('agent_done', 'done', { id: MAIN, error: data.message })])
        else if (name === 'done')
          append([
            about('agent_done', 'done', {
              id: MAIN,
              ...(data.outcome === 'cancelled' ? { reason: 'interrupted' } : {}),
            }),
          ])
      }
    }
    // What Live is told is told beside the run.
    void told().catch(() => {})
  }

type About = (kind: string, key: string, fields: object) => NewEvent

function ofProgress(data: ProgressEvent, about: About): readonly NewEvent[] {
  const { node_id, parent_id, kind, status, label, elapsed_ms, request_id } = data
  const agent_id = parent_id?.startsWith('agent:') ? parent_id : MAIN
  const took = elapsed_ms === undefined ? {} : { duration_ms: Math.round(elapsed_ms) }
  const isOver = status === 'completed' || status === 'failed' || status === 'skipped'
  if (kind === 'tool') {
    if (status === 'started')
      return [about('tool_use', `${node_id}:use`, { id: node_id, agent_id, tool: toolOf(data) })]
    return isOver
      ? [
          about('tool_done', `${node_id}:done`, {
            id: node_id,
            agent_id,
            tool: toolOf(data),
            ok: status === 'completed',
            ...took,
          }),
        ]
      : []
  }
  if (kind === 'subagent') {
    const id = node_id
    if (status === 'started')
      return [about('agent_spawn', `${node_id}:spawn`, { id, parent_id: agent_id, subagent_type: label })]
    return isOver
      ? [
          about('agent_done', `${node_id}:end`, {
            id,
            ...(status === 'failed' ? { error: label } : {}),
            ...took,
          }),
        ]
      : []
  }
  if (kind === 'approval' && status === 'started')
    return [about('agent_wait', `${request_id}:wait`, { agent_id, reason: 'permission', message: label })]
  return []
}

/** A label says what is done with a tool, which is different each time. */
function toolOf({ detail, label }: ProgressEvent): string {
  const name = typeof detail === 'object' && detail !== null && 'name' in detail ? detail.name : null
  return typeof name === 'string' && name !== '' ? name : label
}
