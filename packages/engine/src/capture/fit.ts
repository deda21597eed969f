import { agentOf, check, eventInputOf, isName } from '@panoptes/schema'
import type { HookEvent } from './hook.ts'

/** What an event is found by: where one of these does not fit, the event is about something else than it says. */
const NAMES: ReadonlySet<string> = new Set([
  'event',
  'source',
  'session_id',
  'id',
  'agent_id',
  'parent_id',
  'tool_use_id',
])

/** The event as the vocabulary has it: a field of another shape counts as absent, a name that is none is a problem. */
export function fitted(told: HookEvent): HookEvent | { readonly problem: string } {
  const { key, ...fields } = told
  const agent = agentOf(told)
  if (agent !== undefined && !isName(agent)) return { problem: 'names an agent that cannot be one' }
  const checked = check(eventInputOf(told.event), fields)
  if (checked.ok) return told
  const wrong = new Set(checked.problems.map(({ path }) => path.split('.', 1)[0] ?? ''))
  for (const { path, reason } of checked.problems)
    if (NAMES.has(path)) return { problem: `${path} ${reason}` }
  const kept = Object.entries(told).filter(([name]) => !wrong.has(name))
  return Object.fromEntries(kept) as HookEvent
}
