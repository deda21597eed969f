import { hash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { uptime } from 'node:os'
import { isAbsolute, join } from 'node:path'
import type { EventStore } from '@panoptes/engine/store'
import { type Agent, EVENT_VERSION, type NewEvent, type Result, type StoredEvent } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { sessionKey } from './families.ts'
import { agentKey, findLastSigns, lostAfterMs, stuckAfterMs } from './silence.ts'
import { createTurns } from './turns.ts'

export interface JudgeOptions {
  readonly store: EventStore
  readonly append: (events: readonly NewEvent[]) => Promise<Result<unknown>>
  readonly host: string
  readonly now?: () => number
  /** Reads a clock that nobody can set. When it is absent, `now` serves as both clocks. */
  readonly uptimeMs?: () => number
  readonly everyMs?: number
  /**
   * This is false when events come from other computers. The judge then opens no file at a path they name and
   * trusts none of their clocks.
   */
  readonly looks?: boolean
}

/**
 * Looks at the living agents periodically and reports which are stuck or gone. Its reports are ordinary
 * events.
 */
export interface Judge {
  /** Looks once and returns the events it reported. */
  readonly look: () => Promise<readonly NewEvent[]>
  readonly stop: () => Promise<void>
}

const EVERY_MS = 5_000
/** Looking takes at most one hundredth of the time. */
const SHARE = 100
/** A larger difference between the clock and the elapsed time means that somebody set the clock. */
const JUMP_MS = 60_000
const MOST_ALIVE = 10_000
const APPEND_BATCH = 250
/** After a start on one computer, the judge first lets the spool catch up before it declares anyone gone. */
const SETTLE_MS = 60_000

const NEVER: LastWritten = async () => undefined

export function createJudge(options: JudgeOptions): Judge {
  const { store } = options
  const now = options.now ?? Date.now
  const uptimeMs = options.uptimeMs ?? options.now ?? (() => uptime() * 1_000)
  const everyMs = options.everyMs ?? EVERY_MS
  let startedAt = now()
  const isElsewhere = options.looks === false
  const openLastWritten = isElsewhere ? () => NEVER : createLastWritten(store)
  const heard = createHeard(isElsewhere)
  /** The moment since which clock values are comparable with earlier ones. */
  let clockFrom = Number.NEGATIVE_INFINITY
  let offset = now() - uptimeMs()

  const detectClockJump = () => {
    const newOffset = now() - uptimeMs()
    if (Math.abs(newOffset - offset) > JUMP_MS) {
      clockFrom = now()
      startedAt += newOffset - offset
    }
    offset = newOffset
  }
  /** After the clock jumped, an older sign says nothing about how long an agent has been silent. */
  const clampToClock = (sign: number): number => {
    if (clockFrom === Number.NEGATIVE_INFINITY || sign === Number.POSITIVE_INFINITY) return sign
    return sign > now() ? clockFrom : Math.max(sign, clockFrom)
  }

  /** The last event at a look that found nobody alive. Without a newer one, nobody is. */
  let emptyAt: number | undefined

  const look = async (): Promise<readonly NewEvent[]> => {
    detectClockJump()
    const head = await store.head()
    if (emptyAt !== undefined && head.ok && head.value.last === emptyAt) return []
    const [alive, tools] = await Promise.all([
      store.agents({ states: ['working', 'waiting', 'stuck'], limit: MOST_ALIVE }),
      store.tools(),
    ])
    if (!alive.ok || !tools.ok) return []
    emptyAt = head.ok && alive.value.value.length === 0 ? head.value.last : undefined
    const usual = new Map(
      tools.value.value.map((stats) => [JSON.stringify([stats.source, stats.tool]), stats]),
    )
    const agents = heard(alive.value.value, now())
    const signs = await findLastSigns(agents)
    const lastWritten = openLastWritten()
    const turn = createTurns()
    const verdicts: NewEvent[] = []
    for (const agent of agents) {
      await turn()
      const sign = signs.get(agentKey(agent)) ?? agent.last_at
      const stuckMs = stuckAfterMs(agent, (source, tool) => usual.get(JSON.stringify([source, tool])))
      const event = (await lost(agent, sign, stuckMs, lastWritten)) ?? judgeStuck(agent, sign, stuckMs)
      if (event) verdicts.push(event)
    }
    for (let at = 0; at < verdicts.length; at += APPEND_BATCH) {
      await options.append(verdicts.slice(at, at + APPEND_BATCH))
    }
    return verdicts
  }

  const lost = async (
    agent: Agent,
    sign: number,
    stuckMs: number,
    lastWritten: LastWritten,
  ): Promise<NewEvent | undefined> => {
    const limit = lostAfterMs(agent, stuckMs)
    // This judge does not know which events a previous judge on another computer received.
    const since = isElsewhere ? Math.max(clampToClock(sign), startedAt) : clampToClock(sign)
    if (now() - since <= limit || (!isElsewhere && now() - startedAt < SETTLE_MS)) return undefined
    const written = await lastWritten(agent)
    if (written !== undefined && now() - written <= limit) return undefined
    return createJudgement(agent, 'agent_lost', sign, {
      reason: `no activity for ${plural(Math.round((now() - sign) / 60_000), 'minute')}`,
    })
  }

  /** Silence counts only from when the judge started listening. */
  const judgeStuck = (agent: Agent, sign: number, stuckMs: number): NewEvent | undefined => {
    const silent = now() - Math.max(clampToClock(sign), startedAt)
    if (agent.state !== 'working' || silent <= stuckMs) return undefined
    return createJudgement(agent, 'agent_stuck', sign, { silent_ms: now() - sign, usual_ms: stuckMs })
  }

  const createJudgement = (agent: Agent, event: string, sign: number, fields: object): NewEvent => ({
    v: EVENT_VERSION,
    key: `judge:${hash('sha256', `${event}:${agentKey(agent)}:${sign}${isElsewhere ? workSignature(agent) : ''}`, 'base64url').slice(0, 32)}`,
    ts: now(),
    event,
    source: agent.source,
    host: options.host,
    session_id: agent.session_id,
    agent_id: agent.id,
    ...fields,
  })

  let looking: Promise<void> = Promise.resolve()
  let timer: NodeJS.Timeout | undefined
  let stopped = false
  const lookLater = (waitMs: number) => {
    if (stopped) return
    timer = setTimeout(() => {
      const started = performance.now()
      // With thousands of agents alive a look costs more, so looks become rarer.
      looking = look().then(() => lookLater(Math.max(everyMs, SHARE * (performance.now() - started))))
    }, waitMs)
    timer.unref()
  }
  lookLater(everyMs)
  return {
    look,
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      await looking
    },
  }
}

interface Sign {
  readonly stamp: number
  readonly work: string
  readonly isStuck: boolean
  /** The moment that counts as the time of the sign. */
  readonly at: number
}

/**
 * These fields change as an agent works, whatever its clock says. Reports about its silence do not change
 * them.
 */
const workSignature = ({ tool_counts, errors, usage, doing, wait_since }: Agent): string =>
  JSON.stringify([tool_counts, errors, usage?.input, usage?.output, doing?.tool, doing?.since, wait_since])

/**
 * Returns agents with a plausible time for their last sign. A sign stamped in the future counts from when
 * this judge first saw it; otherwise an agent whose clock runs ahead would look busy until real time catches
 * up. When events come from other computers, whose clocks may be slow or whose events may have been queued,
 * every sign counts from when it was first seen. The last stamp is the latest one seen, so an agent that
 * works on under earlier stamps gives a sign as well.
 */
function createHeard(fromElsewhere = false): (alive: readonly Agent[], now: number) => readonly Agent[] {
  let signs: ReadonlyMap<string, Sign> | undefined
  return (alive, now) => {
    const before = signs
    const still = new Map<string, Sign>()
    signs = still
    return alive.map((agent) => {
      const name = agentKey(agent)
      const { last_at: stamp } = agent
      const previous = before?.get(name)
      // For events from before the first look only the stamp is known.
      const isSeen = stamp > now || (fromElsewhere && before !== undefined)
      const work = workSignature(agent)
      const isStuck = agent.state === 'stuck'
      const isSame = previous?.stamp === stamp && previous.work === work && (isStuck || !previous.isStuck)
      const sign = { stamp, work, isStuck, at: isSame ? previous.at : isSeen ? now : stamp }
      still.set(name, sign)
      return sign.at === stamp ? agent : { ...agent, last_at: sign.at }
    })
  }
}

const MAX_CACHED = 2_000

/** Returns when an agent's transcript was last written, where its path is known. */
type LastWritten = (agent: Agent) => Promise<number | undefined>

/** Creates one lookup per look, so that an unknown path is queried only once in it. */
function createLastWritten(store: EventStore): () => LastWritten {
  const pathCache = new Map<string, string>()

  const findPath = async ({ source, session_id }: Agent, name: string): Promise<string | undefined> => {
    const cached = pathCache.get(name)
    if (cached !== undefined) return cached
    const page = await store.read(
      { before: Number.MAX_SAFE_INTEGER, limit: 10 },
      { kinds: ['session_start', 'prompt'], source, session: session_id },
    )
    const events = page.ok ? page.value.rows.map(({ json }) => JSON.parse(json) as StoredEvent) : []
    const path = events.map((event) => event.transcript_path).find((value) => typeof value === 'string')
    if (path === undefined || !isAbsolute(path)) return undefined
    pathCache.set(name, path)
    for (const oldest of pathCache.keys()) {
      if (pathCache.size <= MAX_CACHED) break
      pathCache.delete(oldest)
    }
    return path
  }

  return () => {
    const without = new Set<string>()
    return async (agent) => {
      const name = sessionKey(agent)
      if (without.has(name)) return undefined
      const session = await findPath(agent, name)
      if (session === undefined) {
        without.add(name)
        return undefined
      }
      const path = agent.id === 'main' ? session : findTranscript(session, agent.id)
      const found = path === undefined ? undefined : await stat(path).catch(() => undefined)
      return found?.mtimeMs
    }
  }
}

/** Sub-agents write next to their session's transcript. An id that could escape that folder is never used. */
function findTranscript(session: string, id: string): string | undefined {
  if (!session.endsWith('.jsonl') || !/^[\w-]{1,128}$/.test(id)) return undefined
  return join(session.slice(0, -'.jsonl'.length), 'subagents', `agent-${id}.jsonl`)
}
