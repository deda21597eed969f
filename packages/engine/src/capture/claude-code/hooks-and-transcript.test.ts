import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  fromHooks,
  type Outcome,
  SESSIONS,
  type SessionName,
  store,
  type Telling,
  unheard,
  written,
} from './hooks-and-transcript.test-kit.ts'
import { type Recording, truth } from './recordings.test-kit.ts'

/** Returns the facts both sides know about an agent. Only the model's name differs between them. */
const known = (name: Recording) =>
  Object.fromEntries(Object.entries(truth[name]).map(([id, { model: _model, ...face }]) => [id, face]))

/** Adds the calls that only the transcript reports to the agents from hooks. */
function whole(name: SessionName, agents: Outcome['agents']): Outcome['agents'] {
  const more = unheard(name)
  return Object.fromEntries(
    Object.entries(agents).map(([id, agent]) => {
      const { tools, errors, ...face } = agent as { tools: Record<string, number>; errors: number }
      const calls = { ...tools }
      for (const tool of more[id] ?? []) calls[tool] = (calls[tool] ?? 0) + 1
      return [id, { ...face, tools: calls, errors: errors + (more[id]?.length ?? 0) }]
    }),
  )
}

const count = ({ events }: Outcome): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { event } of events) counts[event] = (counts[event] ?? 0) + 1
  return counts
}

/** Returns the links between agents and their parents, and how the agents ended. */
const linksIn = ({ events }: Outcome): readonly string[] =>
  events.flatMap(({ event, key }) => (event === 'agent_link' ? [key] : []))

/** Generates any interleaving that keeps the order within each queue. */
const interleavings = (tellings: readonly Telling[]): fc.Arbitrary<readonly Telling[]> =>
  fc
    .array(fc.nat({ max: 10_000 }), { minLength: tellings.length, maxLength: tellings.length })
    .map((dice) => {
      const queues = new Map<string, Telling[]>()
      for (const each of tellings) queues.set(each.queue, [...(queues.get(each.queue) ?? []), each])
      return dice.flatMap((roll) => {
        const waiting = [...queues.values()].filter((queue) => queue.length > 0)
        return waiting[roll % waiting.length]?.shift() ?? []
      })
    })

/** The end of a session ends every agent, so variants without it show that each ends on its own. */
const VARIANTS = SESSIONS.flatMap((name) =>
  [true, false].map((ends) => ({ name, ends, of: ends ? name : `${name} without its end` })),
)

it.each(Object.keys(truth).filter((name) => name !== 'parallel-background') as Recording[])(
  'produces the agents that really ran from the hooks of %s',
  (name) => {
    expect(store(fromHooks(name as (typeof SESSIONS)[number])).agents).toEqual(known(name))
  },
)

describe.each(VARIANTS)('$of', ({ name, ends }) => {
  const hooked = fromHooks(name, ends)
  const expected = whole(name, store(hooked).agents)
  const refused = Object.values(unheard(name)).flat().length

  it('produces the same agents from its transcript as from its hooks, plus the calls that hooks do not report', () => {
    expect(store(written(name)).agents).toEqual(expected)
  })

  it('produces the same agents from both sides in any order, and stores each event once', () => {
    const alone = store(hooked)
    const hooks = count(alone)
    const links = new Set([...linksIn(alone), ...linksIn(store(written(name)))])
    const once = [
      'session_start',
      'prompt',
      'agent_spawn',
      'agent_done',
      'tool_done',
      'skill_use',
      'status',
      'claim',
    ]
    fc.assert(
      fc.property(interleavings([...hooked, ...written(name)]), (order) => {
        const both = store(order)
        expect(both.agents).toEqual(expected)
        const counts = count(both)
        for (const kind of once)
          expect(counts[kind], kind).toBe(kind === 'tool_done' ? (hooks[kind] ?? 0) + refused : hooks[kind])
        expect(new Set(linksIn(both))).toEqual(links)
        expect(counts.tool_use).toBe((hooks.tool_use ?? 0) + refused)
      }),
      { numRuns: 40 },
    )
  })

  it('produces the same agents when hooks begin or end in the middle of the session', () => {
    const rows = written(name)
    for (let at = 0; at <= hooked.length; at += 1) {
      for (const part of [hooked.slice(at), hooked.slice(0, at)]) {
        const order = [...part, ...rows].toSorted((a, b) => a.ts - b.ts)
        expect(store(order).agents, `${at}`).toEqual(expected)
        expect(store([...part, ...rows]).agents, `${at}, read later`).toEqual(expected)
        expect(store([...rows, ...part]).agents, `${at}, read before`).toEqual(expected)
      }
    }
  })

  it('produces the same agents when the process restarts at any time and reads everything again', () => {
    const order = [...hooked, ...written(name)].toSorted((a, b) => a.ts - b.ts)
    const all = store(order)
    for (let at = 0; at <= order.length; at += 1) {
      const again = store(order, new Set([at]))
      expect(again.agents, `${at}`).toEqual(expected)
      expect(count(again), `${at}`).toEqual(count(all))
    }
    const twice = store([...order, ...written(name)], new Set([order.length]))
    expect(twice.agents).toEqual(expected)
    expect(count(twice)).toEqual(count(all))
  })
})
