import type { EventRow, EventStore } from '@panoptes/engine/store'
import { type CommandInput, createCommandRunner } from '@panoptes/engine/user-command'
import {
  type Agent,
  isKind,
  isReminder,
  readAgentId,
  reportsFailure,
  type StoredEvent,
} from '@panoptes/schema'
import { dropOldest, sessionKey } from './families.ts'
import { follow } from './follow.ts'

export interface NotifierOptions {
  readonly store: EventStore
  /** A command for `sh`. Event data is never interpolated into it. */
  readonly command: string
  /** Environment variables in addition to the command's own; `process.env` by default. */
  readonly env?: NodeJS.ProcessEnv
  readonly now?: () => number
  readonly timeoutMs?: number
  /** A wait has to last for `holdMs` before it is reported. The open waits are checked every `everyMs`. */
  readonly holdMs?: number
  readonly everyMs?: number
  /** Receives the reason when a run of the command failed. */
  readonly failed?: (reason: string) => void
}

/** Runs the user's own command when an agent waits, gets stuck or fails. */
export interface Notifier {
  readonly stop: () => Promise<void>
}

/** Older events are history that arrived late, so they do not notify. */
const FRESH_MS = 60_000
/**
 * A failure or silence of one agent is reported once within this time. A wait is reported once however long
 * it lasts.
 */
const AGAIN_MS = 30_000
const HOLD_MS = 10_000
const LOOK_MS = 1_000
const MOST_REMEMBERED = 1_000

export function createNotifier(options: NotifierOptions): Notifier {
  const now = options.now ?? Date.now
  const stop = new AbortController()
  const notifiedAt = new Map<string, number>()
  const runner = createCommandRunner({ ...options, onFailure: options.failed })

  const see = ({ json }: EventRow) => {
    if (!MAY_MATTER.test(json)) return
    const event = JSON.parse(json) as StoredEvent
    if (eventReason(event) === undefined || now() - event.ts > FRESH_MS) return
    if (isKind(event, 'agent_wait')) waits.see(event)
    else if (isNews(event)) run(event)
  }

  const run = (event: StoredEvent): boolean =>
    runner.run(async () =>
      isKind(event, 'agent_wait') || (await isShown(options.store, event)) ? commandInput(event) : null,
    )

  const waits = createHeldWaits({
    store: options.store,
    now,
    holdMs: options.holdMs ?? HOLD_MS,
    everyMs: options.everyMs ?? LOOK_MS,
    tell: run,
  })

  const isNews = (event: StoredEvent): boolean => {
    const name = JSON.stringify([event.event, event.source, event.session_id, readAgentId(event)])
    const last = notifiedAt.get(name) ?? Number.NEGATIVE_INFINITY
    if (now() - last < AGAIN_MS) return false
    notifiedAt.delete(name)
    notifiedAt.set(name, now())
    for (const oldest of notifiedAt.keys()) {
      if (notifiedAt.size <= MOST_REMEMBERED) break
      notifiedAt.delete(oldest)
    }
    return true
  }

  const start = async () => {
    const head = await options.store.head()
    await follow(options.store, head.ok ? head.value.last : 0, see, stop.signal)
  }

  const following = start()
  return {
    stop: async () => {
      stop.abort()
      await Promise.all([following, waits.stop()])
      await runner.stop()
    },
  }
}

/** Agents of a session that a hook started are not shown, so they do not notify. */
async function isShown(store: EventStore, event: StoredEvent): Promise<boolean> {
  const { source, session_id: session } = event
  const find = (id?: string) =>
    store.agents({ of: [{ source, session, ...(id === undefined ? {} : { id }) }], limit: 1 })
  const own = await find(readAgentId(event) ?? 'main')
  const agent = own.ok ? own.value.value[0] : undefined
  if (agent !== undefined) return true
  const any = await find()
  return !any.ok || any.value.value.length > 0
}

const MAY_MATTER = /"event":"agent_(?:wait|stuck|done|link)"/

function eventReason(event: StoredEvent): string | undefined {
  if (isKind(event, 'agent_wait')) return event.reason ?? 'waits'
  if (isKind(event, 'agent_stuck')) return 'is stuck'
  if (isKind(event, 'agent_link')) return event.status === 'failed' ? 'failed' : undefined
  if (!isKind(event, 'agent_done')) return undefined
  return event.error ?? (reportsFailure(event) ? 'failed' : undefined)
}

const commandInput = (event: StoredEvent): CommandInput => ({
  json: JSON.stringify(event),
  env: {
    PANOPTES_EVENT: event.event,
    PANOPTES_AGENT: readAgentId(event) ?? 'main',
    PANOPTES_SESSION: event.session_id,
    PANOPTES_REASON: eventReason(event) ?? '',
  },
})

interface HeldWaitsOptions {
  readonly store: Pick<EventStore, 'agents'>
  readonly now: () => number
  /** A wait has to stay open this long before it is reported. */
  readonly holdMs: number
  readonly everyMs: number
  /** Returns whether the wait will be reported. */
  readonly tell: (wait: StoredEvent) => boolean
}

/** Holds waits back for a while and reports those that are still open then, once each. */
interface HeldWaits {
  readonly see: (wait: StoredEvent) => void
  readonly stop: () => Promise<void>
}

interface ReceivedEvent {
  readonly event: StoredEvent
  readonly at: number
}

const MOST_SESSIONS = 1_000
const MOST_EACH = 16
const MOST_WAITING = 1_000
const MAX_NOTIFIED = 1_000
/** A question arrives with its call and, right after that, with its text. */
const SAME_MS = 1_000

/**
 * The store decides what an agent waits for: a wait may be reported twice, by a reminder that names no agent,
 * or may be over because the agent moved on. So an event only says which session to look at, and the agent's
 * state says when a wait began.
 */
export function createHeldWaits(options: HeldWaitsOptions): HeldWaits {
  const { store, now, holdMs, everyMs, tell } = options
  const sessions = new Map<string, readonly ReceivedEvent[]>()
  const notified = new Map<string, true>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> = Promise.resolve()
  let stopped = false

  const look = async (): Promise<void> => {
    const watched = new Map(sessions)
    const found = await store.agents({ states: ['waiting'], limit: MOST_WAITING })
    if (!found.ok) return
    const open = new Set<string>()
    for (const agent of found.value.value) {
      const session = sessionKey(agent)
      open.add(session)
      const since = agent.wait_since ?? agent.last_at
      const wait = `${session}${JSON.stringify([agent.id, since])}`
      const seen = findWait(sessions.get(session) ?? [], agent, since)
      if (seen === undefined || notified.has(wait) || now() - Math.min(since, seen.at) < holdMs) continue
      if (!tell(seen.event)) continue
      notified.set(wait, true)
      dropOldest(notified, MAX_NOTIFIED)
    }
    // A session that got another wait meanwhile may only look idle in rows that were read before that wait.
    for (const [session, seen] of watched)
      if (!open.has(session) && sessions.get(session) === seen) sessions.delete(session)
  }

  const scheduleLook = () => {
    if (stopped || timer !== undefined || sessions.size === 0) return
    timer = setTimeout(() => {
      looking = look().then(() => {
        timer = undefined
        scheduleLook()
      })
    }, everyMs)
    timer.unref()
  }

  return {
    see: (event) => {
      const session = sessionKey(event)
      const seen = [...(sessions.get(session) ?? []), { event, at: now() }].slice(-MOST_EACH)
      sessions.delete(session)
      sessions.set(session, seen)
      dropOldest(sessions, MOST_SESSIONS)
      scheduleLook()
    },
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await looking
    },
  }
}

/**
 * Finds the event that describes the wait: the one that began it, or a more specific one right after it. A
 * reminder, which names no agent, is the fallback.
 */
function findWait(seen: readonly ReceivedEvent[], agent: Agent, since: number): ReceivedEvent | undefined {
  const of = seen.filter(({ event }) => event.ts >= since)
  const own = of.filter(({ event }) => !isReminder(event) && (readAgentId(event) ?? 'main') === agent.id)
  const began = own.findLast(({ event }) => event.ts <= since + SAME_MS) ?? own[0]
  return began ?? of.findLast(({ event }) => isReminder(event))
}
