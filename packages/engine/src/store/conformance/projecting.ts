import { failingHelper, needsYou, nestedHelpers, toNewEvent } from '@panoptes/engine/demo'
import type { Agent, NewEvent, SessionSummary } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventStore } from '../port.ts'
import { appendAll, day, event, events, numbered } from './event-kit.ts'
import { type Folded, fold } from './fold.ts'
import { type StoreLab, useLab, value } from './lab.ts'

const MANY = 1_000_000

const byName = (a: Agent | SessionSummary, b: Agent | SessionSummary): number => {
  const name = (row: Agent | SessionSummary) =>
    JSON.stringify([row.source, row.session_id, 'id' in row ? row.id : ''])
  return name(a) < name(b) ? -1 : 1
}

export async function projected(store: EventStore): Promise<Folded> {
  const [counters, agents, sessions] = await Promise.all([
    store.counters(),
    store.agents({ limit: MANY }),
    store.sessions({ limit: MANY }),
  ])
  return sorted({
    counters: value(counters).value,
    agents: value(agents).value,
    sessions: value(sessions).value,
  })
}

export const sorted = ({ counters, agents, sessions }: Folded): Folded => ({
  counters,
  agents: agents.toSorted(byName),
  sessions: sessions.toSorted(byName),
})

export function describeProjecting(lab: StoreLab): void {
  describe('projections', () => {
    const bench = useLab(lab)

    it('equal the folded events after a day of agents', async () => {
      const { store } = await bench.open()
      await appendAll(store, day(41, 12_000), 700)
      expect(await projected(store)).toEqual(sorted(fold(numbered(day(41, 12_000)))))
    })

    it('equal the folded events, whatever the events and however appends split them', async () => {
      const { store } = await bench.open()
      const all: NewEvent[] = []
      let run = 0
      await fc.assert(
        fc.asyncProperty(
          fc.array(anyEvent, { maxLength: 150 }),
          fc.integer({ min: 1, max: 60 }),
          async (appended, size) => {
            run += 1
            const list = appended.map((fields, n) =>
              event(n, { ...fields, key: `k${run}-${n}`, session_id: `${fields.session_id ?? 's1'}-${run}` }),
            )
            await appendAll(store, list, size)
            all.push(...list)
            const { agents, sessions } = await projected(store)
            const here = (row: Agent | SessionSummary) => row.session_id.endsWith(`-${run}`)
            const expected = sorted(fold(numbered(list)))
            expect({ agents: agents.filter(here), sessions: sessions.filter(here) }).toEqual({
              agents: expected.agents,
              sessions: expected.sessions,
            })
          },
        ),
        { numRuns: 40 },
      )
      expect(await projected(store)).toEqual(sorted(fold(numbered(all))))
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    })

    it('do not count a duplicate event', async () => {
      const { store } = await bench.open()
      const list = day(43, 800)
      await appendAll(store, [...list, ...list.toReversed(), ...list], 90)
      expect(await projected(store)).toEqual(sorted(fold(numbered(list))))
    })

    it('report the seq they are true for', async () => {
      const { store } = await bench.open()
      const list = day(44, 3_000)
      const writing = appendAll(store, list, 20)
      for (let round = 0; round < 40; round += 1) {
        const { seq, value: counters } = value(await store.counters())
        expect(counters).toEqual(fold(numbered(list.slice(0, seq))).counters)
        const agents = value(await store.agents({ limit: MANY }))
        expect(agents.value.toSorted(byName)).toEqual(
          fold(numbered(list.slice(0, agents.seq))).agents.toSorted(byName),
        )
      }
      await writing
    })

    it('stay bounded and count every event when each is of a kind of its own', async () => {
      const { store } = await bench.open()
      await appendAll(
        store,
        events(2_000).map((each, n) => ({ ...each, event: `kind_${n}`, source: `s${n % 700}` })),
      )
      const { value: counters } = value(await store.counters())
      for (const counts of [counters.by_kind, counters.by_source]) {
        expect(Object.keys(counts).length).toBeLessThan(1_000)
        expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(2_000)
      }
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    })

    it('stay whole numbers when sums exceed every limit', async () => {
      const { store } = await bench.open()
      const most = { event: 'usage', input: Number.MAX_SAFE_INTEGER, output: 3, cost_usd: 1e308 }
      await appendAll(store, [event(1, most), event(2, most), event(3, most)], 1)
      expect(value(await store.counters()).value).toMatchObject({
        tokens_in: Number.MAX_SAFE_INTEGER,
        tokens_out: 9,
        cost_micro_usd: Number.MAX_SAFE_INTEGER,
      })
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    })

    it('show no agent and no session of an empty store', async () => {
      const { store } = await bench.open()
      expect(await projected(store)).toEqual(fold([]))
      expect(value(await store.counters()).seq).toBe(0)
    })

    it('survive a restart', async () => {
      const opened = await bench.open()
      await appendAll(opened.store, day(45, 2_000))
      const before = await projected(opened.store)
      const { store } = await bench.reopen(opened)
      expect(await projected(store)).toEqual(before)
      await appendAll(store, day(46, 500))
      expect(await projected(store)).toEqual(sorted(fold(numbered([...day(45, 2_000), ...day(46, 500)]))))
    })
  })

  describe('agent and session queries', () => {
    const bench = useLab(lab)
    const scenes = [...nestedHelpers('s1'), ...failingHelper('s2'), ...needsYou('s3')].map(toNewEvent)
    const names = (agents: readonly Agent[]): string[] =>
      agents.map((each) => `${each.session_id} ${each.id}`).sort()

    it('filter by source, session and state', async () => {
      const { store } = await bench.open()
      await appendAll(store, [...scenes, event(1, { session_id: 's4', source: 'hermes' })])
      const ask = async (query: Parameters<EventStore['agents']>[0]) =>
        names(value(await store.agents(query)).value)
      expect(await ask({ states: ['waiting'], limit: 10 })).toEqual(['s3 a1'])
      expect(await ask({ states: ['stuck', 'waiting'], limit: 10 })).toEqual(['s3 a1', 's3 a2'])
      expect(await ask({ states: ['failed'], limit: 10 })).toEqual(['s2 a1'])
      expect(await ask({ session: 's1', limit: 10 })).toEqual(['s1 a1', 's1 a2', 's1 a3', 's1 main'])
      expect(await ask({ session: 's1', states: ['working'], limit: 10 })).toEqual([])
      expect(await ask({ source: 'hermes', limit: 10 })).toEqual(['s4 main'])
      expect(await ask({ source: 'hermes', session: 's1', limit: 10 })).toEqual([])
      expect(await ask({ states: [], limit: 10 })).toEqual([])
      expect(await ask({ limit: 3 })).toHaveLength(3)
      expect(await ask({ states: ['done', 'working'], limit: 2 })).toHaveLength(2)
    })

    it('return the latest sessions, newest first, when there are more than the limit', async () => {
      const { store } = await bench.open()
      value(await store.append([3, 1, 4, 2].map((n) => event(n * 1_000, { session_id: `s${n}` }))))
      value(await store.append([event(9_000, { session_id: 's1' })]))
      const list = value(await store.sessions({ limit: 3 })).value
      expect(list.map((each) => each.session_id)).toEqual(['s1', 's4', 's3'])
    })

    it('return the named sessions, and skip unknown ones', async () => {
      const { store } = await bench.open()
      const of = (session_id: string, source: string) => ({ session_id, source })
      value(
        await store.append([
          event(1, of('s1', 'custom')),
          event(2, of('s1', 'hermes')),
          event(3, of('s2', 'custom')),
        ]),
      )
      const named = value(await store.sessions({ session: 's1', limit: 9 })).value
      expect(named.map(({ source }) => source)).toEqual(['hermes', 'custom'])
      expect(value(await store.sessions({ session: 's9', limit: 9 })).value).toEqual([])
      const wanted = [
        { source: 'hermes', session: 's1' },
        { source: 'hermes', session: 's2' },
        { source: 'custom', session: 's2' },
      ]
      const list = value(await store.sessions({ of: wanted, limit: 10 })).value
      expect(list.map(({ source, session_id }) => `${source} ${session_id}`)).toEqual([
        'hermes s1',
        'custom s2',
      ])
      expect(value(await store.sessions({ of: [], limit: 10 })).value).toEqual([])
    })

    it("find the newest session of an agent by the agent's id alone", async () => {
      const { store } = await bench.open()
      const spawn = (n: number, session: string, source: string, id: string): NewEvent =>
        event(n, { event: 'agent_spawn', id, session_id: session, source })
      value(
        await store.append([
          spawn(1, 'old', 'custom', 'twice'),
          spawn(2, 'new', 'hermes', 'twice'),
          spawn(3, 'one', 'custom', 'once'),
        ]),
      )
      const found = value(await store.findAgents(['once', 'twice', 'never', '__proto__']))
      expect([...found].sort()).toEqual([
        ['once', { source: 'custom', session: 'one' }],
        ['twice', { source: 'hermes', session: 'new' }],
      ])
      expect(value(await store.findAgents([])).size).toBe(0)
      expect(value(await store.findAgents(Array.from({ length: 5_000 }, (_, n) => `x${n}`))).size).toBe(0)
    })

    it('count failed tools by the name that the call began with', async () => {
      const { store } = await bench.open()
      const call = (n: number, tool: string | null, ok: boolean): NewEvent[] => [
        event(n, { event: 'tool_use', id: `t${n}`, tool: tool ?? 'Bash', key: `u${n}` }),
        event(n, { event: 'tool_done', id: `t${n}`, tool, ok, key: `d${n}` }),
      ]
      const calls = [
        call(1, 'Bash', false),
        call(2, null, false),
        call(3, 'Read', true),
        call(4, 'Edit', false),
      ]
      await appendAll(store, [...calls.flat(), event(5, { event: 'tool_done', tool: null, ok: false })])
      expect(value(await store.agents({ limit: 1 })).value).toMatchObject([
        { errors: 4, tool_errors: { Bash: 2, Edit: 1, unknown: 1 } },
      ])
    })

    it('show one agent per session even when ids repeat', async () => {
      const { store } = await bench.open()
      await appendAll(
        store,
        events(3).map((each, n) => ({ ...each, session_id: `s${n}`, agent_id: 'same' })),
      )
      expect(names(value(await store.agents({ limit: 10 })).value)).toEqual(['s0 same', 's1 same', 's2 same'])
    })
  })
}

const id = fc.constantFrom('main', 'a1', 'a2', 's1', null)
const anyEvent: fc.Arbitrary<Partial<NewEvent>> = fc.record(
  {
    event: fc.constantFrom(
      'session_start',
      'session_end',
      'prompt',
      'agent_spawn',
      'agent_link',
      'agent_wait',
      'agent_stuck',
      'agent_lost',
      'agent_done',
      'tool_use',
      'tool_done',
      'skill_use',
      'usage',
      'status',
      'claim',
      'unheard_of',
    ),
    session_id: fc.constantFrom('s1', 's2'),
    source: fc.constantFrom('custom', 'hermes'),
    ts: fc.integer({ min: 1_000, max: 1_050 }),
    id,
    agent_id: id,
    parent_id: id,
    tool: fc.constantFrom('Bash', 'Read', null),
    ok: fc.constantFrom(true, false, null),
    success: fc.constantFrom(true, false, null),
    outcome: fc.constantFrom('functional', 'fail', null),
    shipped: fc.constantFrom('partial', 'fail', null),
    follow_ups: fc.constantFrom(['more'], [], null),
    skill: fc.constantFrom('tidy', 'deploy', null),
    value: fc.constantFrom('3 s', null),
    tier: fc.constantFrom('REAL', null),
    model: fc.constantFrom('opus', null),
    title: fc.constantFrom('one', 'two', null),
    reason: fc.constantFrom('permission: Bash', null),
    background: fc.constantFrom(true, false, null),
    input: fc.constantFrom(7, null),
    output: fc.constantFrom(9, null),
    cost_usd: fc.constantFrom(0.000_001, 0.123_456_7, 1.1, null),
  },
  { requiredKeys: ['event'] },
)
