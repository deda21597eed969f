import type { AgentState } from './agent.ts'
import type { EventKind, FieldsOf } from './event.ts'
import type { TeamToken } from './team.ts'

/** How to read an event that is already known to be good. No validator is loaded: threads and the page use this alone. */
type Readable = { readonly event: string; readonly [field: string]: unknown }

export const isKind = <E extends { readonly event: string }, K extends EventKind>(
  event: E,
  kind: K,
): event is E & { readonly event: K } & FieldsOf<K> => event.event === kind

/** The agent an event is about, if it is about one. */
export function agentOf(event: {
  readonly event: string
  readonly [field: string]: unknown
}): string | undefined {
  const own = event.event === 'agent_spawn' || event.event === 'agent_done' || event.event === 'agent_link'
  const id = own ? event.id : event.agent_id
  return typeof id === 'string' ? id : undefined
}

const REMINDERS: ReadonlySet<unknown> = new Set(['permission_prompt', 'elicitation_dialog'])

/** Whether it is what a client says after a while, of whichever agent asks: it names neither the agent nor the call. */
export const isReminder = (event: Readable): boolean =>
  event.event === 'agent_wait' && REMINDERS.has(event.wait)

/** Whether an event says that something failed. */
export function saysFailed(event: Readable): boolean {
  switch (event.event) {
    case 'tool_done':
      return event.ok === false
    case 'skill_use':
      return event.success === false
    case 'agent_done':
      return event.outcome === 'fail' || (typeof event.error === 'string' && event.error !== '')
    case 'agent_link':
      return event.status === 'failed'
    case 'status':
      return event.shipped === 'fail'
    default:
      return false
  }
}

export const isAlive = (state: AgentState): boolean => state !== 'done' && state !== 'failed'

/** How many calls of a tool failed; null where only the sum over all tools is known. */
export function failedCalls(
  agent: {
    readonly errors: number
    readonly tool_errors?: Readonly<Record<string, number>> | undefined
  },
  tool: string,
): number | null {
  if (agent.errors === 0) return 0
  if (agent.tool_errors === undefined) return null
  return Object.hasOwn(agent.tool_errors, tool) ? (agent.tool_errors[tool] ?? 0) : 0
}

type Owned = Readonly<{ owner?: string | null | undefined; shared?: boolean | undefined }>

/** The words of a conversation are its owner's alone. */
export const isPrivate = ({ owner, shared }: Owned): boolean => owner != null && shared !== true

/** Whether somebody may read a conversation; null is nobody in particular. */
export const isVisibleTo = (head: Owned, who: string | null): boolean =>
  !isPrivate(head) || head.owner === who

/** Others may read what is shared, and no more. */
export const isChangedBy = ({ owner }: Owned, who: string | null): boolean => owner == null || owner === who

/** What a token for somebody else may be for: by the others whoever made it could act as them. */
export const FOR_OTHERS: readonly TeamToken['scope'][] = ['ingest']
