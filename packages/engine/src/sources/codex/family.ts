import type { SessionAgent } from '@panoptes/schema'
import { type Fields, toFields, toList, toText } from '../fields.ts'
import { parsed } from '../json.ts'
import { promptTitle } from '../title.ts'
import { agentsIn } from './items.ts'
import type { Line } from './lines.ts'
import type { Rollout, Thread } from './thread-index.ts'

export const MAIN = 'main'

interface Birth {
  readonly call: string
  readonly prompt: string | null
}

/** Finds which call created which sub-agent, from the rollout of its parent. */
export class Family {
  readonly #root: string
  readonly #births = new Map<string, Birth>()
  /** The prompts of calls that create agents. */
  readonly #prompts = new Map<string, string | null>()

  constructor({ rollout }: Thread) {
    this.#root = rollout.id
  }

  saw({ type, payload }: Line): void {
    if (type === 'response_item') this.#sawItem(payload)
    if (type !== 'event_msg') return
    if (payload.type === 'collab_agent_spawn_end')
      this.#born(payload.new_thread_id, payload.call_id, payload.prompt)
    if (payload.type === 'sub_agent_activity' && payload.kind === 'started')
      this.#born(payload.agent_thread_id, payload.event_id, undefined)
    const item = toFields(payload.item)
    if (item.type === 'SubAgentActivity' && item.kind === 'started')
      this.#born(item.agent_thread_id, item.id, undefined)
    if (item.type === 'CollabAgentToolCall' && item.tool === 'spawn_agent')
      for (const id of toList(item.receiver_thread_ids)) this.#born(id, item.id, item.prompt)
  }

  main(): SessionAgent {
    return { id: MAIN, parent_id: null, subagent_type: null, description: null, tool_use_id: null }
  }

  agent({ id, head }: Rollout): SessionAgent {
    const birth = this.#births.get(id)
    return {
      id,
      parent_id: head.parent === null || head.parent === this.#root ? MAIN : head.parent,
      subagent_type: head.role,
      description: birth?.prompt ?? head.name,
      tool_use_id: birth?.call ?? null,
    }
  }

  #sawItem(item: Fields): void {
    const call = toText(item.call_id)
    if (call === null) return
    if (item.type === 'function_call' && item.name === 'spawn_agent') this.#prompts.set(call, promptIn(item))
    if (item.type === 'function_call_output' && this.#prompts.has(call))
      for (const id of agentsIn(item)) this.#born(id, call, undefined)
  }

  #born(id: unknown, call: unknown, prompt: unknown): void {
    if (typeof id !== 'string' || typeof call !== 'string') return
    const title = typeof prompt === 'string' ? promptTitle(prompt) : null
    const previous = this.#births.get(id)
    this.#births.set(id, { call, prompt: title ?? previous?.prompt ?? this.#prompts.get(call) ?? null })
  }
}

/** Newer versions encrypt an agent's prompt and give its task a name. */
const SEALED = 'collaboration'

function promptIn(item: Fields): string | null {
  const { message, task_name } = typeof item.arguments === 'string' ? toFields(parsed(item.arguments)) : {}
  const text = toText(item.namespace === SEALED ? task_name : message)
  return text === null ? null : promptTitle(text)
}
