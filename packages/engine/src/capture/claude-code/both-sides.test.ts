import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Outcome, store, type Telling, told, written } from './both-sides.test-kit.ts'
import { type Recording, truth } from './recordings.test-kit.ts'

const NAMES = ['parallel', 'files', 'skill', 'failure'] as const satisfies readonly Recording[]

/** What both sides know of an agent; the model's name is the only thing that they say in different words. */
const known = (name: Recording) =>
  Object.fromEntries(Object.entries(truth[name]).map(([id, { model: _model, ...face }]) => [id, face]))

const count = ({ events }: Outcome): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = {}
  for (const { event } of events) counts[event] = (counts[event] ?? 0) + 1
  return counts
}

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

describe.each(NAMES)('%s', (name) => {
  it('by its transcript alone gives what its hooks give', () => {
    const alone = store(written(name))
    expect(alone.agents).toEqual(known(name))
    expect(store(told(name)).agents).toEqual(known(name))
  })

  it('by both sides, in any order, gives the same, each thing stored once', () => {
    const hooks = count(store(told(name)))
    const writing = count(store(written(name)))
    const once = ['session_start', 'prompt', 'agent_spawn', 'agent_done', 'tool_done', 'skill_use', 'status']
    const links = Math.max(hooks.agent_link ?? 0, writing.agent_link ?? 0)
    fc.assert(
      fc.property(interleavings([...told(name), ...written(name)]), (order) => {
        const both = store(order)
        expect(both.agents).toEqual(known(name))
        const counts = count(both)
        for (const kind of once) expect(counts[kind], kind).toBe(hooks[kind])
        expect(counts.agent_link ?? 0).toBe(links)
        expect((counts.tool_use ?? 0) - (counts.tool_refused ?? 0)).toBe(hooks.tool_use)
      }),
      { numRuns: 300 },
    )
  })

  it('is the same when the hooks begin, or end, in the middle', () => {
    const hooks = told(name)
    const rows = written(name)
    for (let at = 0; at <= hooks.length; at += 1) {
      for (const part of [hooks.slice(at), hooks.slice(0, at)]) {
        const order = [...part, ...rows].toSorted((a, b) => a.ts - b.ts)
        expect(store(order).agents, `${at}`).toEqual(known(name))
        expect(store([...part, ...rows]).agents, `${at}, read later`).toEqual(known(name))
        expect(store([...rows, ...part]).agents, `${at}, read before`).toEqual(known(name))
      }
    }
  })

  it('is the same when the process is begun anew at any moment, and reads all of it again', () => {
    const order = [...told(name), ...written(name)].toSorted((a, b) => a.ts - b.ts)
    const all = store(order)
    for (let at = 0; at <= order.length; at += 1) {
      const again = store(order, new Set([at]))
      expect(again.agents, `${at}`).toEqual(known(name))
      expect(count(again), `${at}`).toEqual(count(all))
    }
    const twice = store([...order, ...written(name)], new Set([order.length]))
    expect(twice.agents).toEqual(known(name))
    expect(count(twice)).toEqual(count(all))
  })
})
