import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Outcome, SESSIONS, store, type Telling, told, written } from './both-sides.test-kit.ts'
import { type Recording, truth } from './recordings.test-kit.ts'

/** What both sides know of an agent; the model's name is the only thing that they say in different words. */
const known = (name: Recording) =>
  Object.fromEntries(Object.entries(truth[name]).map(([id, { model: _model, ...face }]) => [id, face]))

const count = ({ events }: Outcome): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { event } of events) counts[event] = (counts[event] ?? 0) + 1
  return counts
}

/** What became known of who made whom, and how it ended. */
const linksIn = ({ events }: Outcome): readonly string[] =>
  events.flatMap(({ event, key }) => (event === 'agent_link' ? [key] : []))

/** Any order that keeps that of each queue. */
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

/** With the end of the session everyone ends: without it each has to end on its own. */
const VARIANTS = SESSIONS.flatMap((name) =>
  [true, false].map((ends) => ({ name, ends, of: ends ? name : `${name} without its end` })),
)

it.each(Object.keys(truth).filter((name) => name !== 'parallel-background') as Recording[])(
  '%s is what really happened',
  (name) => {
    expect(store(told(name as (typeof SESSIONS)[number])).agents).toEqual(known(name))
  },
)

describe.each(VARIANTS)('$of', ({ name, ends }) => {
  const hooked = told(name, ends)
  const expected = store(hooked).agents

  it('by its transcript alone gives what its hooks give', () => {
    expect(store(written(name)).agents).toEqual(expected)
  })

  it('by both sides, in any order, gives the same, each thing stored once', () => {
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
        for (const kind of once) expect(counts[kind], kind).toBe(hooks[kind])
        expect(new Set(linksIn(both))).toEqual(links)
        expect((counts.tool_use ?? 0) - (counts.tool_refused ?? 0)).toBe(hooks.tool_use)
      }),
      { numRuns: 40 },
    )
  })

  it('is the same when the hooks begin, or end, in the middle', () => {
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

  it('is the same when the process is begun anew at any moment, and reads all of it again', () => {
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
