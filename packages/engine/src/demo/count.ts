import type { Counters, EventInput } from '@panoptes/schema'
import { countHelpers, type Helpers } from './count-helpers.ts'

/** What a day amounted to, counted on its own: it shares no code with the ledger, so that the two can be compared. */
export interface DayCount {
  readonly add: (event: EventInput) => void
  readonly counters: () => Counters
  /** The agents that have begun and not ended, as `source session id`, sorted. */
  readonly alive: () => readonly string[]
}

export function countDay(): DayCount {
  const sum = {
    events: 0,
    tool_calls: 0,
    tool_errors: 0,
    skill_uses: 0,
    skill_successes: 0,
    claims: 0,
    tokens_in: 0,
    tokens_out: 0,
    cache_read: 0,
    cache_write: 0,
    cost_micro_usd: 0,
    cost_unknown: 0,
  }
  const byKind: Record<string, number> = {}
  const bySource: Record<string, number> = {}
  const alive = new Map<string, Set<string>>()
  const helpers = new Map<string, Helpers>()

  const add = (event: EventInput): void => {
    const source = event.source ?? 'custom'
    sum.events += 1
    byKind[event.event] = (byKind[event.event] ?? 0) + 1
    bySource[source] = (bySource[source] ?? 0) + 1
    const place = `${source} ${event.session_id}`
    const agents = alive.get(place) ?? new Set<string>()
    const here = helpers.get(place) ?? countHelpers()
    helpers.set(place, here)
    here.add(event)
    switch (event.event) {
      case 'prompt':
        alive.set(place, agents.add(String(event.agent_id ?? 'main')))
        break
      case 'session_end':
        alive.delete(place)
        break
      case 'agent_spawn':
        alive.set(place, agents.add(String(event.id)))
        break
      case 'agent_done':
        agents.delete(String(event.id))
        break
      case 'agent_lost':
        agents.delete(String(event.agent_id))
        break
      case 'tool_use':
        sum.tool_calls += 1
        break
      case 'tool_done':
        if (event.ok === false) sum.tool_errors += 1
        break
      case 'skill_use':
        sum.skill_uses += 1
        if (event.success === true) sum.skill_successes += 1
        break
      case 'claim':
        sum.claims += 1
        break
      case 'usage':
        sum.tokens_in += number(event.input)
        sum.tokens_out += number(event.output)
        sum.cache_read += number(event.cache_read)
        sum.cache_write += number(event.cache_write)
        sum.cost_micro_usd += Math.round(number(event.cost_usd) * 1_000_000)
        if (typeof event.cost_usd !== 'number') sum.cost_unknown += 1
        break
    }
  }

  return {
    add,
    counters: () => {
      const counts = [...helpers.values()].map((each) => each.count())
      const total = (name: 'all' | 'done' | 'failed') => counts.reduce((so, each) => so + each[name], 0)
      return {
        ...sum,
        agents_spawned: total('all'),
        agents_done: total('done'),
        agents_failed: total('failed'),
        by_kind: { ...byKind },
        by_source: { ...bySource },
      }
    },
    alive: () => [...alive].flatMap(([place, ids]) => [...ids].map((id) => `${place} ${id}`)).sort(),
  }
}

const number = (value: unknown): number => (typeof value === 'number' ? value : 0)
