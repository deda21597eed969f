import type { Agent } from '@panoptes/schema'
import { keyOf, refOf } from './key.ts'

/** The agent that goes on for a key that is no agent's: the one made by the call of that name. */
export function heirOf(agents: readonly Agent[], key: string | null): string | null {
  if (key === null || agents.some((agent) => keyOf(agent) === key)) return null
  const ref = refOf(key)
  const heir = agents.find(
    ({ source, session_id, tool_use_id }) =>
      tool_use_id === ref?.id && session_id === ref?.session_id && source === ref?.source,
  )
  return heir ? keyOf(heir) : null
}
