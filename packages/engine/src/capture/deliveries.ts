import { readAgentId } from '@panoptes/schema'
import type { HookEvent, KeyedEvent } from './hook.ts'
import { digest, forgetOldest, SAME_WITHIN_MS } from './idempotency-key.ts'

/** One payload with its delivery. */
export interface Delivery {
  readonly source: string
  readonly text: string
  readonly arrived: number
  readonly events: readonly HookEvent[]
}

/**
 * Assigns idempotency keys to hook events. An event that happens once has a name. Events that an agent
 * repeats have none: an identical payload within five seconds is a duplicate, unless the agent did something
 * new in between. The key combines the payload with the time of its first delivery, so that rereading a file
 * gives the same key.
 */
export interface Deliveries {
  readonly keyed: (delivery: Delivery) => readonly KeyedEvent[]
}

interface First {
  readonly at: number
  /** The agent's step count at that time. */
  readonly step: number
}

const MOST_RECENT = 50_000
const MOST_AGENTS = 10_000

/**
 * These events mean that the agent does something new. Each of them has an id of its own, so a repetition is
 * recognised by the id.
 */
const STEPS: ReadonlySet<string> = new Set(['prompt', 'tool_use', 'agent_spawn'])
/** These events may legitimately repeat word for word. */
const REPEATED: ReadonlySet<string> = new Set(['agent_done', 'agent_wait', 'answer'])

const KEY = /^hook:([\w-]{32}):(\d{1,16})(?::\d+)?$/

/**
 * `storedKeys` are keys of the newest stored events. They replace the memory of a process that was killed.
 */
export function createDeliveries(storedKeys: Iterable<string> = []): Deliveries {
  const recent = new Map<string, First>()
  const steps = new Map<string, First>()
  for (const key of storedKeys) {
    const [, name, at] = KEY.exec(key) ?? []
    if (name !== undefined && !recent.has(name)) recent.set(name, { at: Number(at), step: 0 })
  }

  const findFirst = (name: string, { events, arrived }: Delivery): First => {
    const agent = agentKey(events[0])
    const { step, at } = steps.get(agent) ?? { step: 0, at: 0 }
    const before = recent.get(name)
    const repeated = REPEATED.has(events[0]?.event ?? '')
    if (before && Math.abs(arrived - before.at) <= SAME_WITHIN_MS) {
      const wentOn = repeated && before.step !== step && at <= arrived
      if (!wentOn) return before
    }
    const first = { at: arrived, step }
    recent.delete(name)
    recent.set(name, first)
    forgetOldest(recent, MOST_RECENT)
    if (events.some(({ event }) => STEPS.has(event))) {
      steps.delete(agent)
      steps.set(agent, { step: step + 1, at: arrived })
      forgetOldest(steps, MOST_AGENTS)
    }
    return first
  }

  return {
    keyed: (delivery) => {
      const { source, text, events } = delivery
      const name = digest(`${source}\n${text.trim()}`)
      const { at } = findFirst(name, delivery)
      return events.map((each, index) => {
        const nth = index === 0 ? '' : `:${index}`
        // A payload with a timestamp of its own is the same event whenever it arrives.
        const own = each.ts === undefined ? `hook:${name}:${at}${nth}` : `hook:${name}${nth}`
        return { ...each, key: each.key ?? own }
      })
    },
  }
}

const agentKey = (events: HookEvent | undefined): string =>
  events === undefined
    ? ''
    : JSON.stringify([events.source, events.session_id, readAgentId(events) ?? 'main'])
