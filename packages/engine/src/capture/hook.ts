import { DEPTH_LIMIT, isDeeper } from './check.ts'

/** An event that a hook told: the kind, the session, the source, and `key` where what happened names itself. */
export type HookEvent = Readonly<Record<string, unknown>> & {
  readonly event: string
  readonly source: string
  readonly session_id: string
  readonly key?: string
  /** When it happened, where the payload says so. */
  readonly ts?: number
}

/** How one kind of agent's payloads are read. */
export interface HookReader {
  readonly source: string
  /** The events a payload tells, or why it cannot be understood. */
  readonly read: (
    payload: unknown,
  ) => { readonly events: readonly HookEvent[] } | { readonly problem: string }
}

const KEPT = 8_192

export function readHookText(reader: HookReader, text: string): readonly HookEvent[] {
  const payload = parse(text)
  if (payload === undefined) return [unread(reader, text, 'is not JSON')]
  if (typeof payload === 'object' && payload !== null && isDeeper(payload, DEPTH_LIMIT)) {
    return [unread(reader, text, `is nested deeper than ${DEPTH_LIMIT} levels`)]
  }
  const read = reader.read(payload)
  return 'problem' in read ? [unread(reader, text, read.problem)] : read.events
}

const unread = (reader: HookReader, text: string, problem: string): HookEvent => ({
  event: 'hook',
  source: reader.source,
  session_id: 'unknown',
  problem,
  payload: text.length <= KEPT ? text : `${text.slice(0, KEPT)}…`,
})

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
