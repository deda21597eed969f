import { agentOf } from '@panoptes/schema'
import type { HookEvent, KeyedEvent } from './hook.ts'
import { digest, forgetOldest, SAME_WITHIN_MS } from './key.ts'

/** One payload as it was delivered. */
export interface Delivery {
  readonly source: string
  readonly text: string
  readonly arrived: number
  readonly told: readonly HookEvent[]
}

/**
 * Gives the events of hooks their idempotency keys. What happens once has a name of its own. What an agent does again and
 * again has none: there a payload that comes again within five seconds is the same one, unless the agent went on to
 * something new in between. The key is made of the payload and of the stamp of its first delivery, so that the same file
 * that is read again has the same key.
 */
export interface Deliveries {
  readonly keyed: (delivery: Delivery) => readonly KeyedEvent[]
}

interface First {
  readonly at: number
  /** How far its agent had gone. */
  readonly step: number
}

const MOST_RECENT = 50_000
const MOST_AGENTS = 10_000

/** With these an agent goes on to something new; each says by itself what it is about. */
const STEPS: ReadonlySet<string> = new Set(['prompt', 'tool_use', 'agent_spawn'])
/** These may come again word for word. */
const REPEATED: ReadonlySet<string> = new Set(['agent_done', 'agent_wait', 'answer'])

const KEY = /^hook:([\w-]{32}):(\d{1,16})(?::\d+)?$/

/** `known` are keys of the newest events that the ledger has: it remembers what a process that was killed cannot. */
export function createDeliveries(known: Iterable<string> = []): Deliveries {
  const recent = new Map<string, First>()
  const steps = new Map<string, First>()
  for (const key of known) {
    const [, name, at] = KEY.exec(key) ?? []
    if (name !== undefined && !recent.has(name)) recent.set(name, { at: Number(at), step: 0 })
  }

  const firstOf = (name: string, { told, arrived }: Delivery): First => {
    const agent = agentKey(told[0])
    const { step, at } = steps.get(agent) ?? { step: 0, at: 0 }
    const before = recent.get(name)
    const repeated = REPEATED.has(told[0]?.event ?? '')
    if (before && Math.abs(arrived - before.at) <= SAME_WITHIN_MS) {
      const wentOn = repeated && before.step !== step && at <= arrived
      if (!wentOn) return before
    }
    const first = { at: arrived, step }
    recent.delete(name)
    recent.set(name, first)
    forgetOldest(recent, MOST_RECENT)
    if (told.some(({ event }) => STEPS.has(event))) {
      steps.delete(agent)
      steps.set(agent, { step: step + 1, at: arrived })
      forgetOldest(steps, MOST_AGENTS)
    }
    return first
  }

  return {
    keyed: (delivery) => {
      const { source, text, told } = delivery
      const name = digest(`${source}\n${text.trim()}`)
      const { at } = firstOf(name, delivery)
      return told.map((each, index) => {
        const nth = index === 0 ? '' : `:${index}`
        // A payload that says its own time is the same one whenever it comes.
        const own = each.ts === undefined ? `hook:${name}:${at}${nth}` : `hook:${name}${nth}`
        return { ...each, key: each.key ?? own }
      })
    },
  }
}

const agentKey = (told: HookEvent | undefined): string =>
  told === undefined ? '' : JSON.stringify([told.source, told.session_id, agentOf(told) ?? 'main'])
