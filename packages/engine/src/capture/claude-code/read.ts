import { check } from '@panoptes/schema'
import type { HookEvent, HookReader } from '../hook.ts'
import { claimsIn, statedKey } from '../stated-events.ts'
import { createAgentFiles } from './agent-files.ts'
import { INTERRUPTED, type Told, toldBy, turnOf } from './events.ts'
import { type HookPayload, hookPayload } from './payload.ts'

export const CLAUDE_CODE = 'claude-code'

interface HooksOptions {
  /** False where payloads come from other computers: then no file is looked for at a path that they name. */
  readonly looks?: boolean
}

/**
 * Claude Code's hook payloads as events, and whose each agent is as soon as the client has written it down. It remembers a
 * bounded number of agents and calls: make one per process.
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
      const events = eventsOf(payload, files.worked(payload))
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

/** What a payload tells, with a key where it happens once. */
export const eventsOf = (payload: HookPayload, known: boolean): readonly HookEvent[] =>
  toldBy(payload, known).map((told) => eventOf(payload, told))

const eventOf = (payload: HookPayload, told: Told): HookEvent => ({
  ...defined(told),
  source: CLAUDE_CODE,
  session_id: payload.session_id,
  ...keyOf(told, payload.session_id),
})

/** The claims of a message; transcripts have every message of an agent, hooks the last of a turn. */
export const claimEvents = (payload: HookPayload, agent: string, text: string): readonly HookEvent[] =>
  claimsIn({ agent, turn: turnOf(payload, agent), text }).map((told) => eventOf(payload, told))

function claimsAtEnd(payload: HookPayload, events: readonly HookEvent[]): readonly HookEvent[] {
  const { hook_event_name: hook, agent_id, last_assistant_message: text } = payload
  // What nobody is shown for is kept as it came.
  if (!text || events.some(({ event }) => event === 'hook')) return []
  if (hook === 'Stop') return claimEvents(payload, 'main', text)
  return hook === 'SubagentStop' && agent_id ? claimEvents(payload, agent_id, text) : []
}

/**
 * Calls happen once and have a name of their own. What an agent does again and again (begin, end, wait) has none: it is
 * keyed by the payload and when it arrived.
 */
function keyOf(told: Told, session: string): { readonly key?: string } {
  // Of calls side by side each says that the turn was broken off.
  if (told.event === 'agent_done' && told.reason === INTERRUPTED && typeof told.prompt_id === 'string')
    return { key: `${CLAUDE_CODE}:${session}:${told.prompt_id}:${INTERRUPTED}` }
  const stated = statedKey(defined(told))
  if (stated !== undefined) return { key: `${CLAUDE_CODE}:${session}:${stated}` }
  const call =
    told.event === 'agent_link' ? told.tool_use_id : told.event.startsWith('agent_') ? undefined : told.id
  if (typeof call !== 'string') return {}
  const status = typeof told.status === 'string' ? `:${told.status}` : ''
  return { key: `${CLAUDE_CODE}:${session}:${call}:${told.event}${status}` }
}

const defined = (told: Told): Told =>
  Object.fromEntries(
    Object.entries(told).filter(([, value]) => value !== undefined && value !== null),
  ) as Told
