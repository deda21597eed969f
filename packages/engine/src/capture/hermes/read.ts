import type { EventStore } from '@panoptes/engine/store'
import { check, type StoredEvent } from '@panoptes/schema'
import type { HookEvent, HookReader, KeyedEvent } from '../hook.ts'
import { digest, forgetOldest } from '../idempotency-key.ts'
import { markerKey } from '../marker-events.ts'
import { UNKNOWN_SESSION } from '../session-finder.ts'
import { type BareEvent, type Call, REST, toEvents, toRawEvents } from './events.ts'
import { type Extra, type HermesPayload, hermesPayload, readExtra } from './payload.ts'
import { createFamily, type Kin } from './subagent-sessions.ts'

const HERMES = 'hermes'
const MOST_RESTING = 5_000
/** Hooks of a sub-agent's own session that end its work. */
const ENDS: ReadonlySet<string> = new Set(['on_session_end', 'on_session_finalize', 'on_session_reset'])

/** A sub-agent that was started before this process. */
export interface ChildSession {
  readonly childSession: string
  readonly session: string
  readonly agent: string
}

interface HermesHooksOptions {
  /** Overrides the clock and the wait of an early sub-agent for its parent. */
  readonly now?: () => number
  readonly pause?: (ms: number) => Promise<void>
}

const NEWEST = 1_000

/**
 * Reads payloads of Hermes' shell hooks and webhooks. It remembers the parents of sub-agent sessions, so
 * create one per process.
 */
export function createHermesHooks(
  children: Iterable<ChildSession> = [],
  { now = () => performance.now(), pause = pauseWithoutHold }: HermesHooksOptions = {},
): HookReader {
  const family = createFamily()
  const early = createEarlyChildren(now)
  /** The turns of sessions whose own agent rests. */
  const resting = new Map<string, string>()
  for (const { childSession, session, agent } of children) family.learn(childSession, { session, agent })

  const read = (payload: HermesPayload, arrived: number): readonly HookEvent[] => {
    const extra = readExtra(payload.extra)
    const session = findSession(payload, extra)
    const isEarly = family.findKin(session) === undefined && isOfSubAgent(payload, extra, session)
    if (isEarly && early.hold(session, { payload, arrived })) {
      const call = {
        payload,
        extra,
        agent: session,
        child: undefined,
        hasEnded: false,
        hasBackgroundWork: false,
      }
      return toRawEvents(call).map((event) => ({
        ...dropUndefined(event),
        source: HERMES,
        session_id: UNKNOWN_SESSION,
      }))
    }
    return tell(payload, extra, session)
  }

  const tell = (payload: HermesPayload, extra: Extra, session: string): readonly HookEvent[] => {
    const kin = family.of(session)
    const childSession = extra.name('child_session_id')
    const child =
      extra.name('child_subagent_id') ?? (childSession && family.findKin(childSession)?.agent) ?? childSession
    const hook = payload.hook_event_name
    const hasEnded = family.hasEnded(session)
    if (childSession !== undefined && hook === 'subagent_stop') {
      family.end(childSession)
      family.finish(childSession, kin.session)
    } else if (kin.agent !== 'main' && ENDS.has(hook)) family.finish(session, kin.session)
    const hasBackgroundWork = family.hasWork(kin.session)
    const call: Call = { payload, extra, agent: kin.agent, child, hasEnded, hasBackgroundWork }
    const ownEvents = toEvents(call)
    const bareEvents = [...ownEvents, ...endOfRest(call, kin.session, ownEvents)]
    const sent = Date.parse(payload.timestamp ?? '')
    const time = Number.isFinite(sent) ? { ts: sent } : {}
    const events = bareEvents.map((each, index) => ({
      ...dropUndefined(each),
      source: HERMES,
      session_id: kin.session,
      ...time,
      ...eventKey(each, index, kin.session, payload.delivery_id),
    }))
    if (
      childSession === undefined ||
      !bareEvents.some(({ event, id }) => event === 'agent_spawn' && id === child)
    )
      return events
    const agent = child ?? childSession
    family.begin(childSession, kin.session)
    const mistaken = family.learn(childSession, { session: kin.session, agent })
    return [
      ...events,
      ...(agent === childSession ? [] : [{ ...sameAgent(kin, agent, childSession), ...time }]),
      ...(mistaken ? [{ ...noSession(childSession), ...time }] : []),
      ...readEarly(childSession),
    ]
  }

  /** A main agent that rests is done when the last of its sub-agents is, unless it works again before. */
  const endOfRest = (
    { payload, extra, agent, hasBackgroundWork }: Call,
    session: string,
    events: readonly BareEvent[],
  ): readonly BareEvent[] => {
    const turn = resting.get(session)
    if (events.some(({ event, hook }) => event === 'hook' && hook === REST)) {
      resting.set(session, extra.name('turn_id') ?? '')
      forgetOldest(resting, MOST_RESTING)
    } else if (turn !== undefined && agent === 'main' && payload.hook_event_name === 'pre_llm_call') {
      resting.delete(session)
    } else if (turn !== undefined && !hasBackgroundWork) {
      resting.delete(session)
      return [{ event: 'agent_done', id: 'main', name: `${turn}:rest` }]
    }
    return []
  }

  /**
   * Releases what a session sent while it waited. Each event gets a key from its payload, which may arrive more
   * than once.
   */
  const readEarly = (session: string): readonly KeyedEvent[] =>
    early.take(session).flatMap((each) => {
      const { payload, arrived } = each
      const name = payloadKey(each)
      return tell(payload, readExtra(payload.extra), session).map((event, index) => ({
        ts: arrived,
        ...event,
        key: event.key ?? `${HERMES}:early:${name}:${index}`,
      }))
    })

  let looks = false
  return {
    source: HERMES,
    read: (input, arrived) => {
      const checked = check(hermesPayload, input)
      if (checked.ok) return { events: read(checked.value, arrived) }
      const first = checked.problems[0]
      return { problem: `${first?.path ?? ''} ${first?.reason ?? 'is not a hook payload'}`.trim() }
    },
    findKin: family.findKin,
    afterwards: async () => {
      if (looks || early.isEmpty()) return []
      looks = true
      await pause(WAIT_MS)
      looks = false
      return early.giveUp().flatMap(readEarly)
    },
  }
}

/** Unreferences the timer, so that it does not keep the process alive. */
const pauseWithoutHold = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })

const payloadKey = ({ payload }: EarlyPayload): string => digest(JSON.stringify(payload))

/**
 * Finds the session of a payload. Approvals leave it out: their turn id contains the session, and in a
 * terminal the session is their key.
 */
function findSession({ session_id }: HermesPayload, extra: Extra): string {
  if (session_id) return session_id
  const key = extra.name('session_key')
  const turn = extra.name('turn_id')
  const isOfKey = key !== undefined && (turn === undefined || turn.startsWith(`${key}:`))
  return extra.name('session_id') ?? (isOfKey ? key : (sessionIn(turn) ?? key)) ?? UNKNOWN_SESSION
}

/** A turn id is `<session>:<task>:<number>`. For a session's own agent, the task is the session id again. */
const TURN = /^(.+):([^:]+):[0-9a-f]+$/

const sessionIn = (turn: string | undefined): string | undefined => TURN.exec(turn ?? '')?.[1]

/** Task ids of sub-agents, numbered in the order of their requests. */
const SUB_AGENT = /^sa-\d+-[0-9a-f]+$/

function isOfSubAgent({ hook_event_name }: HermesPayload, extra: Extra, session: string): boolean {
  if (extra.text('platform') === 'subagent' || SUB_AGENT.test(extra.text('task_id') ?? '')) return true
  const turn = extra.text(hook_event_name.startsWith('subagent_') ? 'parent_turn_id' : 'turn_id') ?? ''
  return turn.startsWith(`${session}:`) && SUB_AGENT.test(TURN.exec(turn)?.[2] ?? '')
}

/** `state.db` names the agent after its session, so that name is linked as well. */
const sameAgent = ({ session }: Kin, agent: string, childSession: string): HookEvent => ({
  event: 'agent_link',
  source: HERMES,
  session_id: session,
  id: agent,
  tool_use_id: childSession,
  key: `${HERMES}:${session}:${childSession}:agent_link`,
})

/**
 * The first payloads of a sub-agent may arrive before its parent's report; they looked like a session of
 * their own.
 */
const noSession = (session: string): HookEvent => ({
  event: 'session_end',
  source: HERMES,
  session_id: session,
  reason: 'sub-agent',
  key: `${HERMES}:${session}:sub-agent:session_end`,
})

/**
 * An event that Hermes names is identified by that name through any delivery, and a repeated delivery by its
 * id.
 */
function eventKey(
  bareEvent: BareEvent,
  index: number,
  session: string,
  delivery: string | null | undefined,
): { readonly key?: string } {
  const { event, name } = bareEvent
  const marker = markerKey(bareEvent)
  if (marker !== undefined) return { key: `${HERMES}:${session}:${marker}` }
  // A turn ends once, with or without work in the background.
  const kind = event === 'hook' ? 'agent_done' : event
  if (name !== undefined) return { key: `${HERMES}:${session}:${name}:${kind}` }
  return delivery ? { key: `${HERMES}:delivery:${delivery}:${index}` } : {}
}

const dropUndefined = ({ name: _name, ...fields }: BareEvent): Pick<HookEvent, 'event'> =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  ) as Pick<HookEvent, 'event'>

/** A payload of a sub-agent from before its parent reported the start. */
interface EarlyPayload {
  readonly payload: HermesPayload
  readonly arrived: number
}

/** Holds payloads of sub-agents with an unknown parent for a short time. */
interface EarlyChildren {
  /** Returns false when the buffer is full or that session already waited once. */
  readonly hold: (session: string, early: EarlyPayload) => boolean
  /** Returns the payloads that waited for this session's parent, in order. */
  readonly take: (session: string) => readonly EarlyPayload[]
  /** Returns the sessions that waited too long, so nobody will report their parent. */
  readonly giveUp: () => readonly string[]
  readonly isEmpty: () => boolean
}

/** A parent reports the start before its sub-agent begins, so only parallel deliveries can overtake it. */
const WAIT_MS = 5_000
const MOST_HELD = 2_000
const MAX_ABANDONED = 5_000

function createEarlyChildren(now: () => number): EarlyChildren {
  const waiting = new Map<string, { readonly since: number; readonly payloads: EarlyPayload[] }>()
  const abandoned = new Set<string>()
  let held = 0

  const take: EarlyChildren['take'] = (session) => {
    const found = waiting.get(session)?.payloads ?? []
    waiting.delete(session)
    held -= found.length
    return found
  }

  return {
    hold: (session, early) => {
      if (held >= MOST_HELD || abandoned.has(session)) return false
      const entry = waiting.get(session) ?? { since: now(), payloads: [] }
      entry.payloads.push(early)
      waiting.set(session, entry)
      held += 1
      return true
    },
    take,
    giveUp: () => {
      const late = [...waiting].flatMap(([session, { since }]) => (now() - since < WAIT_MS ? [] : [session]))
      for (const session of late) abandoned.add(session)
      for (const oldest of abandoned) {
        if (abandoned.size <= MAX_ABANDONED) break
        abandoned.delete(oldest)
      }
      return late
    },
    isEmpty: () => waiting.size === 0,
  }
}

/**
 * Reads the last started Hermes sub-agents from the store, so that their parents are known after a restart.
 */
export async function recentChildren(store: EventStore): Promise<readonly ChildSession[]> {
  const page = await store.read(
    { before: Number.MAX_SAFE_INTEGER, limit: NEWEST },
    { kinds: ['agent_spawn'], source: 'hermes' },
  )
  if (!page.ok) return []
  return page.value.rows.toReversed().flatMap(({ json }) => {
    const { child_session: childSession, session_id: session, id: agent } = JSON.parse(json) as StoredEvent
    if (typeof childSession !== 'string' || typeof agent !== 'string') return []
    return [{ childSession, session, agent }]
  })
}
