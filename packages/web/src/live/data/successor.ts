import type { Agent } from '@panoptes/schema'
import { parseAgentKey, toAgentKey } from './agent-key.ts'

/** The agent that replaces a key without an agent: the one that the call of that name created. */
export function findHeir(agents: readonly Agent[], key: string | null): string | null {
  if (key === null || agents.some((agent) => toAgentKey(agent) === key)) return null
  const ref = parseAgentKey(key)
  const heir = agents.find(
    ({ source, session_id, tool_use_id }) =>
      tool_use_id === ref?.id && session_id === ref?.session_id && source === ref?.source,
  )
  return heir ? toAgentKey(heir) : null
}
