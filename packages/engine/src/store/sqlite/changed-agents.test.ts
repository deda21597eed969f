import type { Agent, AgentIdentity } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { event } from '../conformance/event-kit.ts'
import { useLab, value } from '../conformance/lab.ts'
import { byName } from '../conformance/live-agents.ts'
import { anyDay } from '../conformance/random-day.ts'
import type { AgentChanges, EventStore } from '../port.ts'
import { sqliteLab } from './sqlite.test-kit.ts'

const bench = useLab(sqliteLab)

/** Collects what the store hands over. The store is opened for each run of a property. */
async function watch(): Promise<{ store: EventStore; received: AgentChanges[]; stop: () => void }> {
  const { store } = await bench.open()
  const received: AgentChanges[] = []
  const stop = store.onAgentsChanged?.((changes) => void received.push(changes))
  if (stop === undefined) throw new Error('A SQLite store hands over changed agents')
  return { store, received, stop }
}

const name = ({ source, session_id, id }: AgentIdentity) => `${source} ${session_id} ${id}`

/** Returns the agents that a reader knows who applied every change. */
function applied(received: readonly AgentChanges[]): readonly Agent[] {
  const known = new Map<string, Agent>()
  for (const agent of received.flatMap(({ agents }) => agents)) {
    if (agent.json) known.set(name(agent), JSON.parse(agent.json) as Agent)
    else known.delete(name(agent))
  }
  return [...known.values()]
}

const spawn = (id: string, fields = {}) => event(0, { key: id, event: 'agent_spawn', id, ...fields })

describe('the agents that commits change', () => {
  it('lead to the agents of the store, however the appends are grouped and whichever of them fail', async () => {
    const groups = fc.array(fc.array(fc.nat({ max: 30 }), { minLength: 1, maxLength: 6 }), {
      minLength: 1,
      maxLength: 12,
    })
    await fc.assert(
      fc.asyncProperty(fc.nat(), groups, async (seed, sizes) => {
        const { store, received } = await watch()
        const day = anyDay(seed, 3_000)
        for (const group of sizes) {
          // A batch with an event that cannot be stored fails, and leaves no agent behind.
          const isBad = (size: number) => size % 7 === 6
          const results = await Promise.all(
            group.map((size) => {
              const bad = isBad(size) ? [spawn('bad', { session_id: null })] : []
              return store.append([...day.splice(0, size), ...bad])
            }),
          )
          expect(results.map(({ ok }) => ok)).toEqual(group.map((size) => !isBad(size)))
          const now = value(await store.agents({ limit: 10_000 }))
          expect(byName(applied(received))).toEqual(byName(now.value))
          expect(received.at(-1)?.seq ?? 0).toBeLessThanOrEqual(now.seq)
        }
        expect(received.map(({ seq }) => seq)).toEqual(
          received.map(({ seq }) => seq).toSorted((a, b) => a - b),
        )
      }),
      { numRuns: 15 },
    )
  })

  it('are handed over before the append is answered, and to nobody who stopped listening', async () => {
    const { store, received, stop } = await watch()
    value(await store.append([spawn('a')]))
    expect(received).toMatchObject([{ seq: 1, agents: [{ source: 'custom', session_id: 's1', id: 'a' }] }])
    stop()
    value(await store.append([spawn('b')]))
    expect(received).toHaveLength(1)
  })

  it('are only named where one commit changes more than a megabyte of them', async () => {
    const { store, received } = await watch()
    const many = Array.from({ length: 400 }, (_, n) => spawn(`a${n}`, { prompt_preview: 'x'.repeat(4_096) }))
    value(await store.append(many))
    const agents = received.flatMap(({ agents: changed }) => changed)
    expect(agents.map(({ id }) => id)).toEqual(many.map(({ id }) => id))
    const texts = agents.flatMap(({ json }) => json ?? [])
    expect(texts.length).toBeGreaterThan(100)
    expect(texts.join('').length).toBeLessThan(1_048_576)
    value(await store.append([spawn('later')]))
    expect(received.at(-1)?.agents).toMatchObject([{ id: 'later', json: expect.stringContaining('"later"') }])
  })
})
