import { readStatus } from '@panoptes/engine/stated'
import { preview } from '../preview.ts'
import { type Fields, fieldsOf, textOf } from './fields.ts'
import type { HookPayload } from './payload.ts'

/** The tool that makes agents has had two names. */
export const isAgentTool = (tool: string | null | undefined): boolean => tool === 'Agent' || tool === 'Task'

/** What the end, or the launch, of an Agent call tells of the agent it made. */
export function agentLink(payload: HookPayload): Fields | undefined {
  const response = fieldsOf(payload.tool_response)
  const agent = textOf(response.agentId)
  if (agent === undefined) return undefined
  const input = fieldsOf(payload.tool_input)
  const prompt = textOf(input.prompt) ?? textOf(response.prompt)
  const name = textOf(input.name) ?? textOf(input.description)
  const completed = response.status === 'completed'
  const marker = completed ? readStatus(lastText(response.content)) : undefined
  return {
    id: agent,
    parent_id: payload.agent_id ?? 'main',
    tool_use_id: payload.tool_use_id,
    subagent_type: textOf(input.subagent_type) ?? textOf(response.agentType),
    model: textOf(response.resolvedModel) ?? textOf(input.model),
    name: name === undefined ? undefined : preview(name),
    prompt_preview: prompt === undefined ? undefined : preview(prompt),
    background: !completed,
    status: completed ? 'completed' : 'launched',
    outcome: marker?.shipped,
  }
}

export function failedAgentCall(payload: HookPayload): Fields {
  const input = fieldsOf(payload.tool_input)
  return {
    parent_id: payload.agent_id ?? 'main',
    tool_use_id: payload.tool_use_id,
    subagent_type: textOf(input.subagent_type),
    status: 'failed',
  }
}

function lastText(content: unknown): string {
  if (typeof content === 'string') return content
  const blocks = Array.isArray(content) ? content.map(fieldsOf) : []
  return blocks.flatMap((block) => textOf(block.text) ?? []).join('\n')
}
