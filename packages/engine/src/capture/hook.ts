import { check, eventInputSchema, isName, readAgentId } from '@panoptes/schema'
import { jsonProblem, tryParseJson } from '@panoptes/schema/json'
import { DEPTH_LIMIT, isDeeper } from './check.ts'
import { truncateText } from './preview.ts'
import { UNKNOWN_SESSION } from './session-finder.ts'

/** An event from a hook: kind, session and source, plus a `key` where the event has a unique name. */
export type HookEvent = Readonly<Record<string, unknown>> & {
  readonly event: string
  readonly source: string
  readonly session_id: string
  readonly key?: string
  /** The time when it happened, if the payload contains it. */
  readonly ts?: number
}

export type KeyedEvent = HookEvent & { readonly key: string }

/** Reads the payloads of one kind of agent. */
export interface HookReader {
  readonly source: string
  /** Returns the events of a payload, or why it cannot be parsed. */
  readonly read: (
    payload: unknown,
    arrived: number,
  ) => { readonly events: readonly HookEvent[] } | { readonly problem: string }
  /** Returns the parent of a session that is known to belong to a sub-agent. */
  readonly findKin?: (session: string) => { readonly session: string; readonly agent: string } | undefined
  /** Returns derived events once the payload's events are stored. Nobody waits for it. */
  readonly afterwards?: () => Promise<readonly KeyedEvent[]>
}

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

export function readHookText(reader: HookReader, text: string, arrived: number): readonly HookEvent[] {
  const payload = tryParseJson(text)
  if (payload === undefined) return [unread(reader, text, jsonProblem(text))]
  if (typeof payload === 'object' && payload !== null && isDeeper(payload, DEPTH_LIMIT)) {
    return [unread(reader, text, `is nested deeper than ${DEPTH_LIMIT} levels`)]
  }
  const read = reader.read(payload, arrived)
  if ('problem' in read) return [unread(reader, text, read.problem)]
  return read.events.map((event) => {
    const fit = fitEvent(event)
    return 'problem' in fit && !('event' in fit) ? unread(reader, text, fit.problem, event.session_id) : fit
  })
}

const unread = (reader: HookReader, text: string, problem: string, session?: string): HookEvent => ({
  event: 'hook',
  source: reader.source,
  session_id: isName(session) ? session : UNKNOWN_SESSION,
  problem,
  payload: truncateText(text),
})

/**
 * Fits an event to the vocabulary: a field of the wrong shape counts as absent, an invalid name is a problem.
 */
export function fitEvent(event: HookEvent): HookEvent | { readonly problem: string } {
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
