import type { Ledger } from '@panoptes/engine/ledger'
import { type Agent, agentOf, isReminder, type StoredEvent } from '@panoptes/schema'
import { dropOldest } from './families.ts'

export interface HeldWaitsOptions {
  readonly ledger: Pick<Ledger, 'agents'>
  readonly now: () => number
  /** How long somebody has to be waited for before it is told. */
  readonly holdMs: number
  readonly everyMs: number
  /** Answers whether it will be told. */
  readonly tell: (wait: StoredEvent) => boolean
}

/** Holds waits back for a while, and tells those that are still open then, each once. */
export interface HeldWaits {
  readonly see: (wait: StoredEvent) => void
  readonly stop: () => Promise<void>
}

interface Seen {
  readonly event: StoredEvent
  readonly at: number
}

const MOST_SESSIONS = 1_000
const MOST_EACH = 16
const MOST_WAITING = 1_000
const MOST_TOLD = 1_000
/** A question is told by its call, and at once again with what is asked. */
const SAME_MS = 1_000

/**
 * What an agent waits for is the ledger's to say: a wait may be told twice, by a reminder that names nobody, or be over by what
 * the agent does. So an event says only where to look, and a wait is what begins when it begins.
 */
export function createHeldWaits(options: HeldWaitsOptions): HeldWaits {
  const { ledger, now, holdMs, everyMs, tell } = options
  const sessions = new Map<string, readonly Seen[]>()
  const told = new Map<string, true>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> = Promise.resolve()
  let stopped = false

  const look = async (): Promise<void> => {
    const watched = new Map(sessions)
    const found = await ledger.agents({ states: ['waiting'], limit: MOST_WAITING })
    if (!found.ok) return
    const open = new Set<string>()
    for (const agent of found.value.value) {
      const session = sessionOf(agent)
      open.add(session)
      const since = agent.wait_since ?? agent.last_at
      const wait = `${session}${JSON.stringify([agent.id, since])}`
      const seen = waitOf(sessions.get(session) ?? [], agent, since)
      if (seen === undefined || told.has(wait) || now() - Math.min(since, seen.at) < holdMs) continue
      if (!tell(seen.event)) continue
      told.set(wait, true)
      dropOldest(told, MOST_TOLD)
    }
    // A session that got another wait meanwhile may have no open one only in what was read before it.
    for (const [session, seen] of watched)
      if (!open.has(session) && sessions.get(session) === seen) sessions.delete(session)
  }

  const lookLater = () => {
    if (stopped || timer !== undefined || sessions.size === 0) return
    timer = setTimeout(() => {
      looking = look().then(() => {
        timer = undefined
        lookLater()
      })
    }, everyMs)
    timer.unref()
  }

  return {
    see: (event) => {
      const session = sessionOf(event)
      const seen = [...(sessions.get(session) ?? []), { event, at: now() }].slice(-MOST_EACH)
      sessions.delete(session)
      sessions.set(session, seen)
      dropOldest(sessions, MOST_SESSIONS)
      lookLater()
    },
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await looking
    },
  }
}

const sessionOf = ({ source, session_id }: Pick<Agent, 'source' | 'session_id'>): string =>
  JSON.stringify([source, session_id])

/** What was told of the wait: the word that began it, or better one right after it; else a reminder, which names nobody. */
function waitOf(seen: readonly Seen[], agent: Agent, since: number): Seen | undefined {
  const of = seen.filter(({ event }) => event.ts >= since)
  const own = of.filter(({ event }) => !isReminder(event) && (agentOf(event) ?? 'main') === agent.id)
  const began = own.findLast(({ event }) => event.ts <= since + SAME_MS) ?? own[0]
  return began ?? of.findLast(({ event }) => isReminder(event))
}
