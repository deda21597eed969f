import { check } from '@panoptes/schema'
import type { HookEvent, HookReader } from '../hook.ts'
import { claimsIn, markerKey } from '../marker-events.ts'
import { createAgentFiles } from './agent-files.ts'
import { type BareEvent, INTERRUPTED, toEvents, turnId } from './events.ts'
import { type HookPayload, hookPayload } from './payload.ts'

export const CLAUDE_CODE = 'claude-code'

interface HooksOptions {
  /** This is false when payloads come from other computers. No file is then read at a path they name. */
  readonly looks?: boolean
}

/**
 * Reads Claude Code's hook payloads and finds each agent's parent as soon as the client has written it to
 * disk. It remembers a bounded number of agents and calls, so create one per process.
 */
export function createClaudeCodeHooks({ looks = true }: HooksOptions = {}): HookReader {
  const files = createAgentFiles(CLAUDE_CODE)
  return {
    source: CLAUDE_CODE,
    read: (input, arrived) => {
      const checked = checkPayload(input)
      if ('problem' in checked) return checked
      const { payload } = checked
      files.hear(payload, arrived)
      const events = hookEvents(payload, files.worked(payload))
      return { events: [...events, ...claimsAtEnd(payload, events)] }
    },
    afterwards: looks ? files.look : async () => [],
  }
}

export function checkPayload(
  input: unknown,
): { readonly payload: HookPayload } | { readonly problem: string } {
  const checked = check(hookPayload, input)
  if (checked.ok) return { payload: checked.value }
  const first = checked.problems[0]
  return { problem: `${first?.path ?? ''} ${first?.reason ?? 'is not a hook payload'}`.trim() }
}

/** Converts a payload to events, with a key for those that happen once. */
export const hookEvents = (payload: HookPayload, hasWorked: boolean): readonly HookEvent[] =>
  toEvents(payload, hasWorked).map((event) => toEvent(payload, event))

const toEvent = (payload: HookPayload, event: BareEvent): HookEvent => ({
  ...dropUndefined(event),
  source: CLAUDE_CODE,
  session_id: payload.session_id,
  ...eventKey(event, payload.session_id),
})

/**
 * Reads the claims of a message. Transcripts contain every message of an agent, hooks only the last of a
 * turn.
 */
export const claimEvents = (payload: HookPayload, agent: string, text: string): readonly HookEvent[] =>
  claimsIn({ agent, turn: turnId(payload, agent), text }).map((event) => toEvent(payload, event))

function claimsAtEnd(payload: HookPayload, events: readonly HookEvent[]): readonly HookEvent[] {
  const { hook_event_name: hook, agent_id, last_assistant_message: text } = payload
  // A payload that shows no agent is stored raw.
  if (!text || events.some(({ event, payload: unmapped }) => event === 'hook' && unmapped !== undefined))
    return []
  if (hook === 'Stop') return claimEvents(payload, 'main', text)
  return hook === 'SubagentStop' && agent_id ? claimEvents(payload, agent_id, text) : []
}

/**
 * Calls happen once and have an id as key. Repeated events of an agent (begin, end, wait) have none: they are
 * keyed by payload and arrival time.
 */
function eventKey(event: BareEvent, session: string): { readonly key?: string } {
  // Each of several parallel calls reports the interruption of the same turn.
  if (event.event === 'agent_done' && event.reason === INTERRUPTED && typeof event.prompt_id === 'string')
    return { key: `${CLAUDE_CODE}:${session}:${event.prompt_id}:${INTERRUPTED}` }
  const marker = markerKey(dropUndefined(event))
  if (marker !== undefined) return { key: `${CLAUDE_CODE}:${session}:${marker}` }
  const call =
    event.event === 'agent_link' ? event.tool_use_id : event.event.startsWith('agent_') ? undefined : event.id
  if (typeof call !== 'string') return {}
  const status = typeof event.status === 'string' ? `:${event.status}` : ''
  return { key: `${CLAUDE_CODE}:${session}:${call}:${event.event}${status}` }
}

const dropUndefined = (event: BareEvent): BareEvent =>
  Object.fromEntries(
    Object.entries(event).filter(([, value]) => value !== undefined && value !== null),
  ) as BareEvent
