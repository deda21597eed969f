import type { Counters, EventInput } from '@panoptes/schema'

/**
 * Totals of a day, counted independently: it shares no code with the store, so that tests can compare the
 * two.
 */
export interface DayCount {
  readonly add: (event: EventInput) => void
  readonly counters: () => Counters
  /** Returns the agents that have begun and not ended, as `source session id`, sorted. */
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
  /**
   * The state of each helper by its position and id. A helper that begins again is working again, whatever
   * its last state was.
   */
  const helpers = new Map<string, 'working' | 'done' | 'failed' | 'stopped'>()

  const add = (event: EventInput): void => {
    const source = event.source ?? 'custom'
    sum.events += 1
    byKind[event.event] = (byKind[event.event] ?? 0) + 1
    bySource[source] = (bySource[source] ?? 0) + 1
    const place = `${source} ${event.session_id}`
    const agents = alive.get(place) ?? new Set<string>()
    switch (event.event) {
      case 'prompt':
        alive.set(place, agents.add(String(event.agent_id ?? 'main')))
        break
      case 'session_end':
        for (const id of agents)
          if (helpers.get(`${place} ${id}`) === 'working') helpers.set(`${place} ${id}`, 'stopped')
        alive.delete(place)
        break
      case 'agent_spawn':
        if (isHelper(event)) helpers.set(`${place} ${event.id}`, 'working')
        alive.set(place, agents.add(String(event.id)))
        break
      case 'agent_done':
        if (isHelper(event)) helpers.set(`${place} ${event.id}`, findEnd(event))
        agents.delete(String(event.id))
        break
      case 'agent_lost':
        if (isHelper({ ...event, id: event.agent_id })) helpers.set(`${place} ${event.agent_id}`, 'stopped')
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

  const countEnds = () => {
    const of = (end: string) => [...helpers.values()].filter((each) => each === end).length
    return {
      agents_spawned: helpers.size,
      agents_done: of('done'),
      agents_failed: of('failed'),
      agents_stopped: of('stopped'),
    }
  }

  return {
    add,
    counters: () => ({ ...sum, ...countEnds(), by_kind: { ...byKind }, by_source: { ...bySource } }),
    alive: () => [...alive].flatMap(([place, ids]) => [...ids].map((id) => `${place} ${id}`)).sort(),
  }
}

function findEnd({ outcome, error }: EventInput): 'done' | 'failed' | 'stopped' {
  if (outcome === 'fail' || error) return 'failed'
  return outcome === 'stopped' || outcome === 'lost' ? 'stopped' : 'done'
}

const isHelper = ({ id, session_id, from_hook }: EventInput): boolean =>
  typeof id === 'string' && id !== 'main' && id !== session_id && from_hook !== true

const number = (value: unknown): number => (typeof value === 'number' ? value : 0)
