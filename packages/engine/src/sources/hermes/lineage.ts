import type { Session } from '@panoptes/schema'
import { type Fields, fieldsOf, textOf } from '../fields.ts'
import { parsed } from '../json.ts'

interface Family {
  readonly parent_id: string | null
  readonly lineage: Session['lineage']
}

const MARKERS = [
  ['_branched_from', 'branch'],
  ['_delegate_from', 'delegate'],
  ['_reset_from', 'reset'],
] as const
const RESETS = ['session_reset', 'new_session', 'daily', 'idle', 'idle_timeout', 'suspended']

/**
 * How a session came from the one before it. A marker is handed on to the sessions that continue one: it counts only where it names
 * the parent itself. Without a parent (it may have been deleted) the marker is all there is.
 */
export function familyOf(own: Fields, parent: Fields): Family {
  const config = fieldsOf(parsed(textOf(own.model_config)))
  const parentId = textOf(own.parent_session_id)
  for (const [marker, lineage] of MARKERS) {
    const from = textOf(config[marker])
    if (from !== null && (parentId === null || parentId === from)) return { parent_id: from, lineage }
  }
  if (parentId === null) return { parent_id: null, lineage: 'root' }
  return { parent_id: parentId, lineage: unmarked(own, parent) }
}

function unmarked(own: Fields, parent: Fields): Session['lineage'] {
  const after = Number(own.started_at) >= Number(parent.ended_at ?? Number.POSITIVE_INFINITY)
  if (own.source === 'subagent' && parent.source !== 'subagent') return 'delegate'
  if (parent.end_reason === 'branched' && after) return 'branch'
  if (parent.end_reason === 'compression' && after) return 'compression'
  const sameChat = textOf(own.session_key) !== null && own.session_key === parent.session_key
  if (sameChat && RESETS.includes(String(parent.end_reason))) return 'reset'
  return 'delegate'
}
