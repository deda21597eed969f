import { describe, expect, it } from 'vitest'
import { event } from './kit.ts'
import { type LedgerLab, useLab, value } from './lab.ts'

const of = (session_id: string, fields: object) => ({ session_id, source: 'claude-code', ...fields })
const started = (n: number, session: string, more: object = {}) =>
  event(n, of(session, { event: 'session_start', ...more }))
const waits = (n: number, session: string) =>
  event(n, of(session, { event: 'agent_wait', agent_id: 'main', reason: 'x' }))
const within = { from_hook: true }

export function describeHiding(lab: LedgerLab): void {
  describe('a session that a hook started', () => {
    const bench = useLab(lab)

    const open = async () => {
      const { ledger } = await bench.open()
      const names = async () => {
        const found = value(await ledger.agents({ limit: 100 })).value
        return found.map(({ session_id, id }) => `${session_id} ${id}`).sort()
      }
      return { ledger, names }
    }

    it('has no agents, alive or ended, and keeps its events', async () => {
      const { ledger, names } = await open()
      value(await ledger.append([started(1, 'own'), started(2, 'child', within), waits(3, 'child')]))
      value(await ledger.append([waits(4, 'own'), event(5, of('child', { event: 'session_end' }))]))
      expect(await names()).toEqual(['own main'])
      expect(value(await ledger.aliveCount())).toBe(1)
      expect(value(await ledger.read({ after: 0, limit: 9 }, { session: 'child' })).rows).toHaveLength(3)
      const { ts } = waits(4, 'own')
      const timeline = value(await ledger.timeline({ from: ts - 10_000, to: ts + 10_000, slices: 4 }))
      expect(timeline.marks.map(({ session_id, kind }) => [session_id, kind])).toEqual([['own', 'wait']])
      expect(Math.max(...timeline.slices.map(({ alive }) => alive))).toBe(1)
    })

    it('loses those that were shown before it was known, then and in every replay', async () => {
      const { ledger, names } = await open()
      value(await ledger.append([started(1, 'child')]))
      expect(await names()).toEqual(['child main'])
      const prompted = event(2, of('child', { event: 'prompt', agent_id: 'main', ...within }))
      value(await ledger.append([prompted, waits(3, 'child')]))
      expect(await names()).toEqual([])
      expect(value(await ledger.agentsAt({ seq: 1 })).value).toHaveLength(1)
      expect(value(await ledger.agentsAt({ seq: 3 })).value).toEqual([])
      expect(value(await ledger.rebuild({ check: true }))).toMatchObject({ differences: 0 })
    })

    it('is not the one in which somebody is at work already: that stays as it is', async () => {
      const { ledger } = await open()
      value(await ledger.append([started(1, 'own'), waits(2, 'own')]))
      const before = value(await ledger.agents({ limit: 9 })).value
      const ended = event(5, of('own', { event: 'session_end', ...within }))
      value(await ledger.append([started(3, 'own', within), { ...waits(4, 'own'), ...within }, ended]))
      expect(value(await ledger.agents({ limit: 9 })).value).toEqual(before)
      expect(before).toMatchObject([{ id: 'main', state: 'waiting' }])
    })

    it('is shown again once it is started by itself', async () => {
      const { ledger, names } = await open()
      value(await ledger.append([started(1, 'child', within), waits(2, 'child'), started(3, 'child')]))
      expect(await names()).toEqual(['child main'])
    })
  })
}
