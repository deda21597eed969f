import type { FlaggedAgent, Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Rows } from '../accounts-port.ts'
import type { Texts } from './lists.ts'

/** The rows cross threads as text, because text is cheaper to transfer than objects. */
export function readRows<T>(texts: Result<Texts>, shown = (row: T): T => row): Result<Rows<T>> {
  if (!texts.ok) return texts
  const { total, docs } = texts.value
  return success({ total, rows: docs.map((doc) => shown(JSON.parse(doc))) })
}

export const shownFlagged = (agent: FlaggedAgent): FlaggedAgent => ({
  source: agent.source,
  session_id: agent.session_id,
  agent_id: agent.agent_id,
  subagent_type: agent.subagent_type,
  description: agent.description,
  project: agent.project,
  outcome: agent.outcome,
  stubs: agent.stubs,
  last_at: agent.last_at,
  flags: agent.flags,
})
