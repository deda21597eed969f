import { readFile } from 'node:fs/promises'
import type { SessionAgent } from '@panoptes/schema'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import type { AgentFile } from './places.ts'

export const MAIN = 'main'

/** Which agent made which: by the file beside an agent's transcript, and by whatever else in the transcripts says so. */
export class Family {
  /** Who made a call. */
  readonly #callers = new Map<string, string>()
  /** The call that made an agent. */
  readonly #calls = new Map<string, string>()
  readonly #metas = new Map<string, Fields>()

  async describe({ id, meta }: AgentFile): Promise<void> {
    const text = await readFile(meta, 'utf8').catch(() => '')
    this.#metas.set(id, parsed(text))
  }

  /** A row of the transcript of `agent`. */
  saw(row: Fields, agent: string): void {
    const inner = fieldsOf(row.message)
    for (const block of listOf(inner.content).map(fieldsOf)) {
      if (block.type === 'tool_use' && typeof block.id === 'string') this.#callers.set(block.id, agent)
      if (block.type === 'tool_result') this.#link(fieldsOf(row.toolUseResult).agentId, block.tool_use_id)
    }
    if (row.type === 'progress') this.#link(fieldsOf(row.data).agentId, row.parentToolUseID)
    if (row.type !== 'queue-operation' || typeof row.content !== 'string') return
    const task = parsed(row.content)
    if (task.task_type === 'local_agent') this.#link(task.task_id, task.tool_use_id)
  }

  agent(id: string): SessionAgent {
    if (id === MAIN) return { id, parent_id: null, subagent_type: null, description: null, tool_use_id: null }
    const meta = this.#metas.get(id) ?? {}
    const call = textOf(meta.toolUseId) ?? this.#calls.get(id) ?? null
    const caller = call === null ? undefined : this.#callers.get(call)
    return {
      id,
      parent_id: textOf(meta.parentAgentId) ?? caller ?? MAIN,
      subagent_type: textOf(meta.agentType),
      description: textOf(meta.description),
      tool_use_id: call,
    }
  }

  #link(agent: unknown, call: unknown): void {
    if (typeof agent === 'string' && typeof call === 'string' && !this.#calls.has(agent))
      this.#calls.set(agent, call)
  }
}

function parsed(text: string): Fields {
  try {
    return fieldsOf(JSON.parse(text))
  } catch {
    return {}
  }
}
