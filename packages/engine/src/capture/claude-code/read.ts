import { check } from '@panoptes/schema'
import type { HookReader } from '../hook.ts'
import { type Told, toldBy } from './events.ts'
import { hookPayload } from './payload.ts'

const CLAUDE_CODE = 'claude-code'

/** Claude Code's hook payloads as events. */
export const claudeCodeHooks: HookReader = { source: CLAUDE_CODE, read: readPayload }

function readPayload(input: unknown): ReturnType<HookReader['read']> {
  const checked = check(hookPayload, input)
  if (!checked.ok) {
    const first = checked.problems[0]
    return { problem: `${first?.path ?? ''} ${first?.reason ?? 'is not a hook payload'}`.trim() }
  }
  const { session_id } = checked.value
  return {
    events: toldBy(checked.value).map((told) => ({
      ...defined(told),
      source: CLAUDE_CODE,
      session_id,
      ...keyOf(told, session_id),
    })),
  }
}

/**
 * Calls happen once and have a name of their own. What an agent does again and again (begin, end, wait) has none: it is
 * keyed by what it says and when it arrived.
 */
function keyOf(told: Told, session: string): { readonly key?: string } {
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
