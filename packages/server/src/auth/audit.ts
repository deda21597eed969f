import type { AuditNote, Team } from '@panoptes/engine/store'
import type { AuditEntry } from '@panoptes/schema'
import type { Logger } from 'pino'
import type { Need } from '../access.ts'
import type { Caller, RequestHead } from '../authenticate.ts'
import type { Refusal } from '../problem.ts'
import { clientAddress, rateLimitKey } from './client-address.ts'

/** The part of an authorization that an audit entry is made of. */
type AuditedAuthorization = { readonly caller: Caller | undefined; readonly need?: Need } & (
  | { readonly ok: true }
  | { readonly ok: false; readonly refusal: Refusal }
)

interface AuditedRequest {
  readonly requestHead: RequestHead
  readonly authorization: AuditedAuthorization
  readonly status: number
  /** What the request was about, where the route named it. */
  readonly target: string | null
}

export interface Audit {
  /** Records an answered request if it changed something, or if a known caller was refused. */
  readonly record: (heard: AuditedRequest) => void
  readonly note: (note: AuditNote) => void
  /**
   * Records an entry that a client can repeat at will at most once a minute: per address and target, or per address
   * and `what`.
   */
  readonly noteOnce: (note: AuditNote, what?: string) => void
  readonly countWaiting: () => number
  /** How many entries were dropped since the start because too many waited. */
  readonly countDropped: () => number
  /** Writes the waiting entries, for at most two seconds. */
  readonly close: () => Promise<void>
}

export interface AuditLimits {
  readonly waiting: number
  readonly batch: number
  readonly everyMs: number
}

const LIMITS: AuditLimits = { waiting: 10_000, batch: 500, everyMs: 250 }
const CLOSE_MS = 2_000
/** A refusal that repeats is recorded once a minute. */
const SAME_MS = 60_000
const MOST_SAME = 10_000

/**
 * Writes entries in the background, so that no request waits for them. A database outage that is short loses none.
 */
export function createAudit(
  team: Pick<Team, 'note'>,
  log: Logger,
  limits: AuditLimits = LIMITS,
  now: () => number = Date.now,
): Audit {
  let waiting: AuditNote[] = []
  /** Dropped entries per space that no `audit.dropped` entry reports yet. */
  const lost = new Map<string | null, number>()
  let dropped = 0
  let writing: Promise<boolean> | undefined
  const same = new Map<string, number>()

  const note = (entry: AuditNote) => {
    if (waiting.length < limits.waiting) {
      waiting.push(entry)
      return
    }
    lost.set(entry.space, (lost.get(entry.space) ?? 0) + 1)
    dropped += 1
  }

  const write = async (): Promise<boolean> => {
    const batch = waiting.slice(0, limits.batch)
    const missing = [...lost]
    const entries = [...batch, ...missing.map(lostNote)]
    if (entries.length === 0) return true
    const written = await team.note(entries)
    if (!written.ok) return false
    waiting = waiting.slice(batch.length)
    for (const [space, count] of missing) {
      const since = (lost.get(space) ?? 0) - count
      if (since > 0) lost.set(space, since)
      else lost.delete(space)
      log.warn({ space, dropped: count }, 'audit: entries were dropped')
    }
    return true
  }
  const flush = (): Promise<boolean> => {
    writing ??= write().finally(() => {
      writing = undefined
    })
    return writing
  }
  const timer = setInterval(() => void flush(), limits.everyMs)
  timer.unref()

  const isRepeated = (key: string): boolean => {
    const at = now()
    const again = at - (same.get(key) ?? Number.NEGATIVE_INFINITY) < SAME_MS
    if (again) return true
    same.delete(key)
    same.set(key, at)
    if (same.size > MOST_SAME) same.delete(same.keys().next().value as string)
    return false
  }

  const noteOnce: Audit['noteOnce'] = (entry, what = entry.target ?? '') => {
    const { actor, address, action, outcome } = entry
    const from = address === null ? null : rateLimitKey(address)
    if (!isRepeated(JSON.stringify([actor, from, action, outcome, what]))) note(entry)
  }

  return {
    note,
    noteOnce,
    countWaiting: () => waiting.length,
    countDropped: () => dropped,
    record: ({ requestHead, authorization, status, target }) => {
      const { caller, need } = authorization
      const outcome = toOutcome(status)
      if (!caller) return
      if (authorization.ok) {
        if (need?.action) note({ ...auditActor(caller, requestHead), action: need.action, target, outcome })
        return
      }
      if (authorization.refusal.status === 503) return
      // The action is named after the route, since a client could send endlessly many different paths.
      const action = need?.action ?? need?.route ?? 'unknown'
      noteOnce({
        ...auditActor(caller, requestHead),
        action,
        target: authorization.refusal.code,
        outcome: 'refused',
      })
    },
    close: async () => {
      clearInterval(timer)
      const until = now() + CLOSE_MS
      while ((waiting.length > 0 || lost.size > 0) && now() < until) if (!(await flush())) break
      if (waiting.length > 0) log.warn({ dropped: waiting.length }, 'audit: entries were dropped')
    },
  }
}

/** The fields of an audit entry that say who acted. */
export const auditActor = (
  { identity, space }: Pick<Caller, 'identity' | 'space'>,
  requestHead: RequestHead,
): Omit<AuditNote, 'action' | 'target' | 'outcome'> => ({
  actor: identity?.label ?? 'this computer',
  user_id: identity?.user_id ?? null,
  token_id: identity?.token_id ?? null,
  space,
  address: clientAddress(requestHead) || null,
})

const toOutcome = (status: number): AuditEntry['outcome'] =>
  status < 400 ? 'done' : status === 401 || status === 403 || status === 429 ? 'refused' : 'failed'

const lostNote = ([space, count]: readonly [string | null, number]): AuditNote => ({
  actor: null,
  user_id: null,
  token_id: null,
  space,
  action: 'audit.dropped',
  target: String(count),
  outcome: 'failed',
  address: null,
})
