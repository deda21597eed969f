import { describe, expect, it } from 'vitest'
import type { Moment } from '../port.ts'
import { appendAll, day, event, numbered } from './event-kit.ts'
import { fold } from './fold.ts'
import { type StoreLab, useLab, value } from './lab.ts'
import { byName, lateness, shownAfter } from './live-agents.ts'

export function describeReplaying(lab: StoreLab): void {
  describe('replay', () => {
    const bench = useLab(lab)

    it('shows the agents as they were after any event', async () => {
      const { store } = await bench.open()
      const list = day(71, 12_000)
      await appendAll(store, list, 700)
      const all = numbered(list)
      for (const seq of [0, 1, 17, 1_999, 2_000, 2_001, 5_432, 9_999, 11_998, 12_000, 99_999]) {
        const prefix = all.slice(0, seq)
        const past = value(await store.agentsAt({ seq }))
        expect(past.seq).toBe(Math.min(seq, 12_000))
        expect(byName(past.value)).toEqual(byName(shownAfter(prefix, lateness(prefix))))
      }
    })

    it('leaves out agents that ended long before, with and without a checkpoint', async () => {
      const { store } = await bench.open()
      const helpers = Array.from({ length: 50 }, (_, n) => [
        event(n, { event: 'agent_spawn', id: `a${n}`, key: `spawn ${n}` }),
        event(n + 1, { event: 'agent_done', id: `a${n}`, key: `done ${n}` }),
      ]).flat()
      const later = Array.from({ length: 2_000 }, (_, n) =>
        event(7_200_000 + n, { event: 'tool_use', agent_id: 'main', id: `t${n}`, tool: 'Read' }),
      )
      await appendAll(store, [...helpers, ...later], 100)
      for (let seq = 1_985; seq <= 2_100; seq += 5) {
        expect(value(await store.agentsAt({ seq })).value.map(({ id }) => id)).toEqual(['main'])
      }
    })

    it('shows agents that are silent for days, whatever another clock says', async () => {
      const { store } = await bench.open()
      const hour = 3_600_000
      const quiet = event(1, { agent_id: 'main', session_id: 'quiet' })
      const ahead = event(72 * hour, { agent_id: 'main', session_id: 'ahead' })
      const busy = Array.from({ length: 3_000 }, (_, n) =>
        event(30 * hour + n, { event: 'tool_use', agent_id: 'main', id: `t${n}`, tool: 'Read' }),
      )
      await appendAll(store, [quiet, ahead, ...busy], 100)
      const sessions = async (moment: Moment) =>
        value(await store.agentsAt(moment)).value.map(({ session_id }) => session_id)
      expect(await sessions({ seq: 3_002 })).toEqual(['ahead', 'quiet', 's1'])
      expect(await sessions({ ts: ahead.ts - 1 })).toEqual(['quiet', 's1'])
      expect(await sessions({ ts: ahead.ts })).toEqual(['ahead', 'quiet', 's1'])
    })

    it('counts a late event from its own time on, and nothing after that time', async () => {
      const { store } = await bench.open()
      const hour = 3_600_000
      const now = event(5 * hour, { event: 'agent_spawn', id: 'now' })
      const old = event(0, { event: 'agent_spawn', id: 'old', session_id: 'before' })
      value(await store.append([now, old]))
      const at = async (ts: number) => value(await store.agentsAt({ ts })).value.map(({ id }) => id)
      expect(await at(old.ts + 60_000)).toEqual(['old'])
      expect((await at(now.ts)).sort()).toEqual(['now', 'old'])
    })

    it('finds the moment by time', async () => {
      const { store } = await bench.open()
      value(await store.append([1, 2, 3].map((n) => event(n * 1_000, { agent_id: `a${n}` }))))
      const at = async (ts: number) => value(await store.agentsAt({ ts })).seq
      const first = JSON.parse(value(await store.read({ after: 0, limit: 1 })).rows[0]?.json ?? '{}')
        .ts as number
      expect([await at(first - 1), await at(first), await at(first + 1)]).toEqual([0, 1, 1])
      expect(await at(Number.MAX_SAFE_INTEGER)).toBe(3)
    })

    it('goes back to a session that had ended long before and was resumed', async () => {
      const { store } = await bench.open()
      const old = [
        event(1, { event: 'session_start', session_id: 'old' }),
        event(2, { event: 'tool_use', session_id: 'old', agent_id: 'main', tool: 'Bash', id: 't1' }),
        event(3, { event: 'session_end', session_id: 'old' }),
      ]
      const between = day(72, 5_000)
      const late = event(900_000_000, {
        event: 'tool_use',
        session_id: 'old',
        agent_id: 'main',
        tool: 'Bash',
        id: 't2',
      })
      const again = event(899_999_999, { event: 'prompt', session_id: 'old' })
      const list = [...old, ...between, again, late]
      await appendAll(store, list, 500)
      const past = value(await store.agentsAt({ seq: list.length })).value
      const shown = past.find((agent) => agent.session_id === 'old')
      const expected = fold(numbered(list)).agents.find((agent) => agent.session_id === 'old')
      expect(shown?.tool_counts).toEqual({ Bash: 2 })
      expect(shown).toEqual(expected)
    })

    it('is the same after retention and after a rebuild', async () => {
      const { store } = await bench.open()
      const list = day(73, 9_000)
      await appendAll(store, list, 900)
      const before = value(await store.agentsAt({ seq: 8_500 }))
      const cut = numbered(list)[4_000]?.ts ?? 0
      value(await store.retain({ before: cut }))
      expect(value(await store.agentsAt({ seq: 8_500 }))).toEqual(before)
      value(await store.rebuild({ check: false }))
      expect(value(await store.agentsAt({ seq: 8_500 }))).toEqual(before)
    })
  })

  describe('timeline', () => {
    const bench = useLab(lab)

    it('counts every event of the span once, with its errors, and marks what people look for', async () => {
      const { store } = await bench.open()
      const list = numbered(day(74, 4_000))
      await appendAll(store, day(74, 4_000), 500)
      const times = list.map((each) => each.ts)
      const from = Math.min(...times)
      const to = Math.max(...times) + 1
      const line = value(await store.timeline({ from, to, slices: 50 }))
      const sum = (pick: (slice: { events: number; errors: number }) => number) =>
        line.slices.reduce((total, slice) => total + pick(slice), 0)
      expect(sum((slice) => slice.events)).toBe(4_000)
      const failed = list.filter(
        (each) =>
          each.ok === false || each.outcome === 'fail' || each.success === false || each.shipped === 'fail',
      )
      expect(sum((slice) => slice.errors)).toBe(failed.length)
      const markedEvents = ['agent_spawn', 'agent_wait', 'agent_stuck', 'agent_done', 'agent_lost']
      expect(line.marks.length + line.marks_left_out).toBe(
        list.filter((each) => markedEvents.includes(each.event)).length,
      )
      expect(line.slices.at(-1)?.alive).toBe(
        fold(list).agents.filter((agent) => agent.ended_at === null).length,
      )
    })
  })

  describe('tool statistics', () => {
    const bench = useLab(lab)

    it('tell how often each tool ran and failed, and how long it takes', async () => {
      const { store } = await bench.open()
      const calls = Array.from({ length: 100 }, (_, n) => [
        event(n * 2, { event: 'tool_use', id: `t${n}`, tool: 'Bash', key: `u${n}` }),
        event(n * 2 + 1, {
          event: 'tool_done',
          id: `t${n}`,
          tool: 'Bash',
          key: `d${n}`,
          ok: n % 10 > 0,
          duration_ms: n + 1,
        }),
      ]).flat()
      value(await store.append(calls))
      const [bash] = value(await store.tools()).value
      expect(bash).toMatchObject({ tool: 'Bash', calls: 100, errors: 10, samples: 100 })
      expect(Math.abs((bash?.p50_ms ?? 0) - 50)).toBeLessThan(10)
      expect(Math.abs((bash?.p95_ms ?? 0) - 95)).toBeLessThan(19)
    })
  })

  describe('marks', () => {
    const bench = useLab(lab)

    it('are stored with their events, and alone', async () => {
      const opened = await bench.open()
      value(await opened.store.append([event(1)], { 'tail:a': '17' }))
      value(await opened.store.append([], { 'tail:b': '5' }))
      value(await opened.store.append([event(1)], { 'tail:a': '18' }))
      const { store } = await bench.reopen(opened)
      expect(value(await store.marks(['tail:a', 'tail:b', 'tail:c']))).toEqual({
        'tail:a': '18',
        'tail:b': '5',
      })
    })
  })
}
