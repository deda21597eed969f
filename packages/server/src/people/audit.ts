import type { AuditNote, Team } from '@panoptes/engine/ledger'
import type { AuditEntry } from '@panoptes/schema'
import type { Logger } from 'pino'
import type { Caller } from '../callers.ts'
import type { Asked, Judgement } from '../guard.ts'
import { clientOf, limitedAs } from './addresses.ts'

interface Heard {
  readonly asked: Asked
  readonly judged: Judgement
  readonly status: number
  /** What it was done to, where the route said. */
  readonly target: string | null
}

export interface Audit {
  /** A request was answered: written down where it changed something, or where somebody known was refused. */
  readonly heard: (heard: Heard) => void
  readonly note: (note: AuditNote) => void
  /**
   * The same, for what somebody can have happen again and again: one line a minute for each address and target, or for each address
   * and what it is that is the same.
   */
  readonly noteOnce: (note: AuditNote, what?: string) => void
  readonly waiting: () => number
  /** Notes that could not be kept since the start. */
  readonly dropped: () => number
  /** Writes what waits, for two seconds at most. */
  readonly close: () => Promise<void>
}

export interface AuditLimits {
  readonly waiting: number
  readonly batch: number
  readonly everyMs: number
}

const LIMITS: AuditLimits = { waiting: 10_000, batch: 500, everyMs: 250 }
const CLOSE_MS = 2_000
/** A refusal that comes again and again is one line a minute. */
const SAME_MS = 60_000
const MOST_SAME = 10_000

/** Written in the background: whoever asks does not wait for it, and a database that is away for a while loses nothing. */
export function createAudit(
  team: Pick<Team, 'note'>,
  log: Logger,
  limits: AuditLimits = LIMITS,
  now: () => number = Date.now,
): Audit {
  let waiting: AuditNote[] = []
  /** How many of each space could not be kept, and nobody was told of yet. */
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

  const isAgain = (key: string): boolean => {
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
    const from = address === null ? null : limitedAs(address)
    if (!isAgain(JSON.stringify([actor, from, action, outcome, what]))) note(entry)
  }

  return {
    note,
    noteOnce,
    waiting: () => waiting.length,
    dropped: () => dropped,
    heard: ({ asked, judged, status, target }) => {
      const { caller, need } = judged
      const outcome = outcomeOf(status)
      if (!caller) return
      if (judged.ok) {
        if (need?.action) note({ ...actorOf(caller, asked), action: need.action, target, outcome })
        return
      }
      if (judged.refusal.status === 503) return
      // By the route and not by what was asked, of which there is no end.
      const action = need?.action ?? need?.route ?? 'unknown'
      noteOnce({ ...actorOf(caller, asked), action, target: judged.refusal.code, outcome: 'refused' })
    },
    close: async () => {
      clearInterval(timer)
      const until = now() + CLOSE_MS
      while ((waiting.length > 0 || lost.size > 0) && now() < until) if (!(await flush())) break
      if (waiting.length > 0) log.warn({ dropped: waiting.length }, 'audit: entries were dropped')
    },
  }
}

/** Who it was, for the audit log. */
export const actorOf = (
  { identity, space }: Pick<Caller, 'identity' | 'space'>,
  asked: Asked,
): Omit<AuditNote, 'action' | 'target' | 'outcome'> => ({
  actor: identity?.label ?? 'this computer',
  user_id: identity?.user_id ?? null,
  token_id: identity?.token_id ?? null,
  space,
  address: clientOf(asked) || null,
})

const outcomeOf = (status: number): AuditEntry['outcome'] =>
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
