import type { ContentBlock, PastAgent, PastMessage } from '@panoptes/schema'
import { createZeroSpent } from '@panoptes/schema/spent'

export const message = (
  role: PastMessage['role'],
  content: ContentBlock[],
  more: Partial<PastMessage> = {},
): PastMessage => ({
  id: 'm',
  session_id: 's',
  role,
  ts: 1_000,
  model: null,
  agent_id: 'main',
  content,
  usage: null,
  state: 'active',
  hidden: false,
  n: 0,
  cost_micro_usd: null,
  cut: false,
  ...more,
})

/** Numbers the messages. */
export const placed = (messages: readonly PastMessage[]): readonly PastMessage[] =>
  messages.map((one, n) => ({ ...one, n }))

export const text = (said: string): ContentBlock => ({ type: 'text', text: said })

export const call = (id: string, input: unknown = {}, tool = 'Task'): ContentBlock => ({
  type: 'tool_call',
  id,
  tool,
  input,
})

export const result = (id: string, ok = true, output = 'r'): ContentBlock => ({
  type: 'tool_result',
  id,
  ok,
  text: output,
  duration_ms: null,
})

export const agent = (
  id: string,
  tool_use_id: string | null,
  parent_id: string | null = 'main',
): PastAgent => ({
  id,
  parent_id,
  subagent_type: null,
  description: null,
  tool_use_id,
  messages: 0,
  spent: createZeroSpent(),
})
