import { describe, expect, it } from 'vitest'
import { appendAll, event } from './event-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'

export function describeMarking(lab: StoreLab): void {
  describe('timeline marks', () => {
    const bench = useLab(lab)
    const eventOfKind = (n: number, kind: string, fields: object) => event(n, { event: kind, ...fields })
    const failed = (call: string) => ({
      tool_use_id: call,
      parent_id: 'a0',
      subagent_type: 'X',
      status: 'failed',
    })

    const open = async () => {
      const { store } = await bench.open()
      const { ts } = event(0)
      const line = async () =>
        value(await store.timeline({ from: ts - 10_000_000, to: ts + 10_000_000, slices: 4 }))
      return { store, line }
    }

    it('show every kind of failure, with the agent that failed', async () => {
      const { store, line } = await open()
      const story = [
        eventOfKind(1, 'prompt', { agent_id: 'main' }),
        eventOfKind(2, 'agent_spawn', { id: 'a0', subagent_type: 'Y' }),
        eventOfKind(3, 'agent_done', { id: 'a0', outcome: 'fail' }),
        eventOfKind(4, 'agent_spawn', { id: 'a1', subagent_type: 'X' }),
        eventOfKind(5, 'agent_link', failed('T1')),
        eventOfKind(6, 'agent_link', failed('T2')),
        eventOfKind(7, 'agent_link', { id: 'a2', tool_use_id: 'T3', status: 'failed' }),
        eventOfKind(8, 'tool_done', { id: 't', agent_id: 'main', tool: 'Bash', ok: false }),
        eventOfKind(9, 'agent_done', { id: 'main', error: 'server_error' }),
      ]
      value(await store.append(story))
      const failures = (await line()).marks.filter(({ kind }) => kind === 'failure')
      expect(failures.map(({ agent_id, seq }) => [agent_id, seq])).toEqual([
        ['a0', 3],
        ['a1', 5],
        ['a0', 6],
        ['a2', 7],
        ['main', 9],
      ])
      expect(value(await store.counters()).value).toMatchObject({
        agents_spawned: 3,
        agents_failed: 3,
        agents_done: 0,
      })
      const rows = value(await store.read({ after: 0, limit: 99 }, { failed: true })).rows
      expect(rows.map(({ seq }) => seq)).toEqual([3, 5, 6, 7, 8, 9])
    })

    it('keep the only failure and the only wait among very many others', async () => {
      const { store, line } = await open()
      const many = (from: number, kind: string, fields: (n: number) => object) =>
        Array.from({ length: 400 }, (_, n) => eventOfKind(from + n, kind, fields(n)))
      await appendAll(store, [
        eventOfKind(1, 'agent_done', { id: 'bad', outcome: 'fail' }),
        eventOfKind(2, 'agent_wait', { agent_id: 'asks', reason: 'x' }),
        ...many(10, 'agent_spawn', (n) => ({ id: `a${n}` })),
      ])
      const kinds = async () => {
        const { marks, marks_left_out } = await line()
        const counted = Object.fromEntries(
          [...Map.groupBy(marks, ({ kind }) => kind)].map(([k, of]) => [k, of.length]),
        )
        return { ...counted, left_out: marks_left_out }
      }
      expect(await kinds()).toEqual({ failure: 1, wait: 1, spawn: 298, left_out: 102 })
      await appendAll(store, [
        ...many(1_000, 'agent_wait', (n) => ({ agent_id: `a${n}`, reason: 'x' })),
        ...many(2_000, 'agent_done', (n) => ({ id: `a${n}`, outcome: n % 2 === 0 ? 'fail' : null })),
      ])
      expect(await kinds()).toEqual({ failure: 180, wait: 90, done: 30, left_out: 902 })
    })
  })
}
