import type { AgentState } from './agent.ts'
import type { EventKind, FieldsOf } from './event.ts'
import type { TeamToken } from './team.ts'

export { runtimeStateWords } from './chat/runtime-state-words.ts'
export { hookConnectionWords } from './hook-connection.ts'
export { retentionText, savedSessionsText } from './saved-sessions.ts'

/**
 * Accessors for events that are already validated. Workers and the page use only these, so no
 * validator is loaded.
 */
type Readable = { readonly event: string; readonly [field: string]: unknown }

export const isKind = <E extends { readonly event: string }, K extends EventKind>(
  event: E,
  kind: K,
): event is E & { readonly event: K } & FieldsOf<K> => event.event === kind

/** Returns the agent an event is about, if any. */
export function readAgentId(event: {
  readonly event: string
  readonly [field: string]: unknown
}): string | undefined {
  const own = event.event === 'agent_spawn' || event.event === 'agent_done' || event.event === 'agent_link'
  const id = own ? event.id : event.agent_id
  return typeof id === 'string' ? id : undefined
}

const REMINDERS: ReadonlySet<unknown> = new Set(['permission_prompt', 'elicitation_dialog'])

/** True for a client's idle reminder. It names neither the agent nor the call that waits. */
export const isReminder = (event: Readable): boolean =>
  event.event === 'agent_wait' && REMINDERS.has(event.wait)

/** True if an event reports a failure. */
export function reportsFailure(event: Readable): boolean {
  switch (event.event) {
    case 'tool_done':
      return event.ok === false
    case 'skill_use':
      return event.success === false
    case 'agent_done':
      return event.outcome === 'fail' || (typeof event.error === 'string' && event.error !== '')
    case 'agent_link':
      return event.status === 'failed' && event.outcome !== 'stopped'
    case 'status':
      return event.shipped === 'fail'
    default:
      return false
  }
}

export const isAlive = (state: AgentState): boolean => state !== 'done' && state !== 'failed'

/** The state an agent is counted under. A stopped or lost agent is over but not successful. */
export const countedState = ({
  state,
  outcome,
}: {
  readonly state: AgentState
  readonly outcome: string | null
}): AgentState | 'stopped' =>
  state === 'done' && (outcome === 'stopped' || outcome === 'lost') ? 'stopped' : state

/** Failed calls of a tool; null if only the sum over all tools is known. */
export function countFailedCalls(
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

/** The messages of a private conversation are visible to its owner only. */
export const isPrivate = ({ owner, shared }: Owned): boolean => owner != null && shared !== true

/** Whether somebody may read a conversation; null means nobody in particular. */
export const isVisibleTo = (head: Owned, who: string | null): boolean =>
  !isPrivate(head) || head.owner === who

/** Only the owner may change a conversation; sharing it allows others to read only. */
export const isChangedBy = ({ owner }: Owned, who: string | null): boolean => owner == null || owner === who

/**
 * The scopes of a token issued for somebody else. With any other scope its creator could act as
 * that person.
 */
export const FOR_OTHERS: readonly TeamToken['scope'][] = ['ingest']
