import { describe, expect, it } from 'vitest'
import { appendAll, event } from './kit.ts'
import { type LedgerLab, useLab, value } from './lab.ts'

export function describeMarking(lab: LedgerLab): void {
  describe('what a timeline marks', () => {
    const bench = useLab(lab)
    const told = (n: number, kind: string, fields: object) => event(n, { event: kind, ...fields })
    const failed = (call: string) => ({
      tool_use_id: call,
      parent_id: 'a0',
      subagent_type: 'X',
      status: 'failed',
    })

    const open = async () => {
      const { ledger } = await bench.open()
      const { ts } = event(0)
      const line = async () =>
        value(await ledger.timeline({ from: ts - 10_000_000, to: ts + 10_000_000, slices: 4 }))
      return { ledger, line }
    }

    it('is every way to fail, with the agent that failed', async () => {
      const { ledger, line } = await open()
      const story = [
        told(1, 'prompt', { agent_id: 'main' }),
        told(2, 'agent_spawn', { id: 'a0', subagent_type: 'Y' }),
        told(3, 'agent_done', { id: 'a0', outcome: 'fail' }),
        told(4, 'agent_spawn', { id: 'a1', subagent_type: 'X' }),
        told(5, 'agent_link', failed('T1')),
        told(6, 'agent_link', failed('T2')),
        told(7, 'agent_link', { id: 'a2', tool_use_id: 'T3', status: 'failed' }),
        told(8, 'tool_done', { id: 't', agent_id: 'main', tool: 'Bash', ok: false }),
        told(9, 'agent_done', { id: 'main', error: 'server_error' }),
      ]
      value(await ledger.append(story))
      const failures = (await line()).marks.filter(({ kind }) => kind === 'failure')
      expect(failures.map(({ agent_id, seq }) => [agent_id, seq])).toEqual([
        ['a0', 3],
        ['a1', 5],
        ['a0', 6],
        ['a2', 7],
        ['main', 9],
      ])
      expect(value(await ledger.counters()).value).toMatchObject({
        agents_spawned: 2,
        agents_failed: 1,
        agents_done: 0,
      })
      const rows = value(await ledger.read({ after: 0, limit: 99 }, { failed: true })).rows
      expect(rows.map(({ seq }) => seq)).toEqual([3, 5, 6, 7, 8, 9])
    })

    it('keeps the only failure and the only wait among very many others', async () => {
      const { ledger, line } = await open()
      const many = (from: number, kind: string, fields: (n: number) => object) =>
        Array.from({ length: 400 }, (_, n) => told(from + n, kind, fields(n)))
      await appendAll(ledger, [
        told(1, 'agent_done', { id: 'bad', outcome: 'fail' }),
        told(2, 'agent_wait', { agent_id: 'asks', reason: 'x' }),
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
      await appendAll(ledger, [
        ...many(1_000, 'agent_wait', (n) => ({ agent_id: `a${n}`, reason: 'x' })),
        ...many(2_000, 'agent_done', (n) => ({ id: `a${n}`, outcome: n % 2 === 0 ? 'fail' : null })),
      ])
      expect(await kinds()).toEqual({ failure: 180, wait: 90, done: 30, left_out: 902 })
    })
  })
}
