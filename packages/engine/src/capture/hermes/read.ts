import { check } from '@panoptes/schema'
import type { HookEvent, HookReader } from '../hook.ts'
import { UNKNOWN_SESSION } from '../sessions.ts'
import { statedKey } from '../stated-events.ts'
import { type Call, type Told, toldBy } from './events.ts'
import { createFamily, type Family, type Kin } from './family.ts'
import { extraOf, hermesPayload } from './payload.ts'

const HERMES = 'hermes'

/** A sub-agent that was started before this process. */
export interface KnownChild {
  readonly childSession: string
  readonly session: string
  readonly agent: string
}

/** Reads what Hermes' shell hooks and webhooks send. It remembers whose a sub-agent's session is: make one per process. */
export function createHermesHooks(known: Iterable<KnownChild> = []): HookReader {
  const family = createFamily()
  for (const { childSession, session, agent } of known) family.learn(childSession, { session, agent })
  return { source: HERMES, read: (payload) => readPayload(family, payload), kinOf: family.known }
}

function readPayload(family: Family, input: unknown): ReturnType<HookReader['read']> {
  const checked = check(hermesPayload, input)
  if (!checked.ok) {
    const first = checked.problems[0]
    return { problem: `${first?.path ?? ''} ${first?.reason ?? 'is not a hook payload'}`.trim() }
  }
  const payload = checked.value
  const extra = extraOf(payload.extra)
  const kin = family.of(payload.session_id ?? extra.name('session_id') ?? UNKNOWN_SESSION)
  const call: Call = { payload, extra, agent: kin.agent }
  const told = toldBy(call)
  const sent = Date.parse(payload.timestamp ?? '')
  const time = Number.isFinite(sent) ? { ts: sent } : {}
  const events = told.map((each, index) => ({
    ...defined(each),
    source: HERMES,
    session_id: kin.session,
    ...time,
    ...keyOf(each, index, kin.session, payload.delivery_id),
  }))
  const childSession = extra.name('child_session_id')
  const child = told.find(({ event }) => event === 'agent_spawn')?.id
  if (childSession === undefined || typeof child !== 'string') return { events }
  const mistaken = family.learn(childSession, { session: kin.session, agent: child })
  const known =
    child === childSession ? events : [...events, { ...sameAgent(kin, child, childSession), ...time }]
  return { events: mistaken ? [...known, { ...noSession(childSession), ...time }] : known }
}

/** What `state.db` says of it goes by its session: that name is the agent's too. */
const sameAgent = ({ session }: Kin, agent: string, childSession: string): HookEvent => ({
  event: 'agent_link',
  source: HERMES,
  session_id: session,
  id: agent,
  tool_use_id: childSession,
  key: `${HERMES}:${session}:${childSession}:agent_link`,
})

/** A sub-agent's first words may come before it is known for one: then they looked like a session of its own. */
const noSession = (session: string): HookEvent => ({
  event: 'session_end',
  source: HERMES,
  session_id: session,
  reason: 'sub-agent',
  key: `${HERMES}:${session}:sub-agent:session_end`,
})

/** What Hermes names is known by that name, by whichever way it comes; a delivery that comes again by its number. */
function keyOf(
  told: Told,
  index: number,
  session: string,
  delivery: string | null | undefined,
): { readonly key?: string } {
  const { event, name } = told
  const stated = statedKey(told)
  if (stated !== undefined) return { key: `${HERMES}:${session}:${stated}` }
  if (name !== undefined) return { key: `${HERMES}:${session}:${name}:${event}` }
  return delivery ? { key: `${HERMES}:delivery:${delivery}:${index}` } : {}
}

const defined = ({ name: _name, ...told }: Told): Pick<HookEvent, 'event'> =>
  Object.fromEntries(
    Object.entries(told).filter(([, value]) => value !== undefined && value !== null && value !== ''),
  ) as Pick<HookEvent, 'event'>
