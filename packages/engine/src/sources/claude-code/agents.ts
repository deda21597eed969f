import { readFile } from 'node:fs/promises'
import type { SessionAgent } from '@panoptes/schema'
import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'
import { parsed } from '../json.ts'
import type { AgentFile } from './places.ts'

export const MAIN = 'main'

const NOTICE =
  /^<task-notification>\s*<task-id>([^<]{1,200})<\/task-id>\s*<tool-use-id>([^<]{1,200})<\/tool-use-id>/

/** Which agent made which: by the file beside an agent's transcript, and by whatever else in the transcripts says so. */
export class Family {
  /** In whose transcripts a call stands: who made it, and whoever was given a copy. */
  readonly #callers = new Map<string, Set<string>>()
  /** The call that made an agent. */
  readonly #calls = new Map<string, string>()
  readonly #metas = new Map<string, Fields>()
  readonly #known = new Set<string>([MAIN])

  async describe({ id, meta }: AgentFile): Promise<void> {
    const text = await readFile(meta, 'utf8').catch(() => null)
    this.#metas.set(id, fieldsOf(parsed(text)))
    this.#known.add(id)
  }

  /** A row of the transcript of `agent`. */
  saw(row: Fields, agent: string): void {
    this.#known.add(agent)
    const inner = fieldsOf(row.message)
    for (const block of listOf(inner.content).map(fieldsOf)) {
      if (block.type === 'tool_use' && typeof block.id === 'string') this.#called(block.id, agent)
      if (block.type === 'tool_result') this.#link(fieldsOf(row.toolUseResult).agentId, block.tool_use_id)
    }
    if (row.type === 'progress') this.#link(fieldsOf(row.data).agentId, row.parentToolUseID)
    if (row.type === 'queue-operation' && typeof row.content === 'string') this.#notice(row.content)
  }

  agent(id: string): SessionAgent {
    if (id === MAIN) return { id, parent_id: null, subagent_type: null, description: null, tool_use_id: null }
    const meta = this.#metas.get(id) ?? {}
    return {
      id,
      parent_id: this.#isRound(id) ? MAIN : this.#parentOf(id),
      subagent_type: textOf(meta.agentType),
      description: textOf(meta.description),
      tool_use_id: this.#callOf(id) ?? null,
    }
  }

  #callOf(id: string): string | undefined {
    return textOf(this.#metas.get(id)?.toolUseId) ?? this.#calls.get(id)
  }

  /** Where the one above is not told, or not there, it is the session's own. */
  #parentOf(id: string): string {
    const told = textOf(this.#metas.get(id)?.parentAgentId)
    if (told !== null && told !== id && this.#known.has(told)) return told
    const callers = [...(this.#callers.get(this.#callOf(id) ?? '') ?? [])]
    return callers.find((caller) => caller !== id) ?? MAIN
  }

  /** Whether those above lead back. */
  #isRound(id: string): boolean {
    const seen = new Set<string>()
    for (let at = id; at !== MAIN; at = this.#parentOf(at)) {
      if (seen.has(at)) return true
      seen.add(at)
    }
    return false
  }

  /** What the client queues for an agent when another began or ended: JSON, or tags in newer clients. */
  #notice(text: string): void {
    const [, agent, call] = NOTICE.exec(text) ?? []
    this.#link(agent, call)
    const task = agent === undefined ? fieldsOf(parsed(text)) : {}
    if (task.task_type === 'local_agent') this.#link(task.task_id, task.tool_use_id)
  }

  #called(call: string, agent: string): void {
    if (this.#callers.get(call)?.add(agent) === undefined) this.#callers.set(call, new Set([agent]))
  }

  #link(agent: unknown, call: unknown): void {
    if (typeof agent === 'string' && typeof call === 'string' && !this.#calls.has(agent))
      this.#calls.set(agent, call)
  }
}
