import { check, eventInputSchema, isName, readAgentId } from '@panoptes/schema'
import type { HookEvent } from './hook.ts'

/** The identifying fields: if one of these is invalid, the event would describe something else. */
const NAMES: ReadonlySet<string> = new Set([
  'event',
  'source',
  'session_id',
  'id',
  'agent_id',
  'parent_id',
  'tool_use_id',
])

/**
 * Fits an event to the vocabulary: a field of the wrong shape counts as absent, an invalid name is a problem.
 */
export function fitted(event: HookEvent): HookEvent | { readonly problem: string } {
  const { key, ...fields } = event
  const agent = readAgentId(event)
  if (agent !== undefined && !isName(agent)) return { problem: 'names an agent that cannot be one' }
  const checked = check(eventInputSchema(event.event), fields)
  if (checked.ok) return event
  const wrong = new Set(checked.problems.map(({ path }) => path.split('.', 1)[0] ?? ''))
  for (const { path, reason } of checked.problems)
    if (NAMES.has(path)) return { problem: `${path} ${reason}` }
  const fitting = Object.entries(event).filter(([name]) => !wrong.has(name))
  return Object.fromEntries(fitting) as HookEvent
}
