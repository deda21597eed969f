import { readStatus } from '@panoptes/engine/markers'
import { preview } from '../preview.ts'
import { type Fields, toFields, toText } from './fields.ts'
import type { HookPayload } from './payload.ts'

/** The tool that creates agents was renamed once. */
export const isAgentTool = (tool: string | null | undefined): boolean => tool === 'Agent' || tool === 'Task'

/** Returns what the launch or the end of an Agent call says about the agent it created. */
export function agentLink(payload: HookPayload): Fields | undefined {
  const response = toFields(payload.tool_response)
  const agent = toText(response.agentId)
  if (agent === undefined) return undefined
  const input = toFields(payload.tool_input)
  const prompt = toText(input.prompt) ?? toText(response.prompt)
  const name = toText(input.name) ?? toText(input.description)
  const completed = response.status === 'completed'
  const marker = completed ? readStatus(lastText(response.content)) : undefined
  return {
    id: agent,
    parent_id: payload.agent_id ?? 'main',
    tool_use_id: payload.tool_use_id,
    subagent_type: toText(input.subagent_type) ?? toText(response.agentType),
    model: toText(response.resolvedModel) ?? toText(input.model),
    name: name === undefined ? undefined : preview(name),
    prompt_preview: prompt === undefined ? undefined : preview(prompt),
    background: !completed,
    status: completed ? 'completed' : 'launched',
    outcome: marker?.shipped,
  }
}

export function failedAgentCall(payload: HookPayload): Fields {
  const input = toFields(payload.tool_input)
  return {
    parent_id: payload.agent_id ?? 'main',
    tool_use_id: payload.tool_use_id,
    subagent_type: toText(input.subagent_type),
    status: 'failed',
    outcome: payload.is_interrupt === true ? 'stopped' : undefined,
  }
}

function lastText(content: unknown): string {
  if (typeof content === 'string') return content
  const blocks = Array.isArray(content) ? content.map(toFields) : []
  return blocks.flatMap((block) => toText(block.text) ?? []).join('\n')
}
