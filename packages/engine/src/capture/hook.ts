import { isName } from '@panoptes/schema'
import { DEPTH_LIMIT, isDeeper } from './check.ts'
import { fitted } from './fit.ts'
import { beginningOf } from './preview.ts'
import { UNKNOWN_SESSION } from './sessions.ts'

/** An event that a hook told: the kind, the session, the source, and `key` where what happened names itself. */
export type HookEvent = Readonly<Record<string, unknown>> & {
  readonly event: string
  readonly source: string
  readonly session_id: string
  readonly key?: string
  /** When it happened, where the payload says so. */
  readonly ts?: number
}

export type KeyedEvent = HookEvent & { readonly key: string }

/** How one kind of agent's payloads are read. */
export interface HookReader {
  readonly source: string
  /** The events a payload tells, or why it cannot be understood. */
  readonly read: (
    payload: unknown,
    arrived: number,
  ) => { readonly events: readonly HookEvent[] } | { readonly problem: string }
  /** Whose a session is, where it is known to be a sub-agent's. */
  readonly kinOf?: (session: string) => { readonly session: string; readonly agent: string } | undefined
  /** What more there is to know once that is stored; nobody waits for it. */
  readonly afterwards?: () => Promise<readonly KeyedEvent[]>
}

export function readHookText(reader: HookReader, text: string, arrived: number): readonly HookEvent[] {
  const payload = parse(text)
  if (payload === undefined) return [unread(reader, text, 'is not JSON')]
  if (typeof payload === 'object' && payload !== null && isDeeper(payload, DEPTH_LIMIT)) {
    return [unread(reader, text, `is nested deeper than ${DEPTH_LIMIT} levels`)]
  }
  const read = reader.read(payload, arrived)
  if ('problem' in read) return [unread(reader, text, read.problem)]
  return read.events.map((told) => {
    const fit = fitted(told)
    return 'problem' in fit && !('event' in fit) ? unread(reader, text, fit.problem, told.session_id) : fit
  })
}

const unread = (reader: HookReader, text: string, problem: string, session?: string): HookEvent => ({
  event: 'hook',
  source: reader.source,
  session_id: isName(session) ? session : UNKNOWN_SESSION,
  problem,
  payload: beginningOf(text),
})

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
