import { describe, expect, it } from 'vitest'
import { event } from './event-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'

const of = (session_id: string, fields: object) => ({ session_id, source: 'claude-code', ...fields })
const started = (n: number, session: string, more: object = {}) =>
  event(n, of(session, { event: 'session_start', ...more }))
const waits = (n: number, session: string) =>
  event(n, of(session, { event: 'agent_wait', agent_id: 'main', reason: 'x' }))
const within = { from_hook: true }

export function describeHiding(lab: StoreLab): void {
  describe('session started by a hook', () => {
    const bench = useLab(lab)

    const open = async () => {
      const { store } = await bench.open()
      const names = async () => {
        const found = value(await store.agents({ limit: 100 })).value
        return found.map(({ session_id, id }) => `${session_id} ${id}`).sort()
      }
      return { store, names }
    }

    it('shows no agents, alive or ended, and keeps its events', async () => {
      const { store, names } = await open()
      value(await store.append([started(1, 'own'), started(2, 'child', within), waits(3, 'child')]))
      value(await store.append([waits(4, 'own'), event(5, of('child', { event: 'session_end' }))]))
      expect(await names()).toEqual(['own main'])
      expect(value(await store.aliveCount())).toBe(1)
      expect(value(await store.read({ after: 0, limit: 9 }, { session: 'child' })).rows).toHaveLength(3)
      const { ts } = waits(4, 'own')
      const timeline = value(await store.timeline({ from: ts - 10_000, to: ts + 10_000, slices: 4 }))
      expect(timeline.marks.map(({ session_id, kind }) => [session_id, kind])).toEqual([['own', 'wait']])
      expect(Math.max(...timeline.slices.map(({ alive }) => alive))).toBe(1)
    })

    it('hides agents that were shown before its origin was known, then and in every replay', async () => {
      const { store, names } = await open()
      value(await store.append([started(1, 'child')]))
      expect(await names()).toEqual(['child main'])
      const prompted = event(2, of('child', { event: 'prompt', agent_id: 'main', ...within }))
      value(await store.append([prompted, waits(3, 'child')]))
      expect(await names()).toEqual([])
      expect(value(await store.agentsAt({ seq: 1 })).value).toHaveLength(1)
      expect(value(await store.agentsAt({ seq: 3 })).value).toEqual([])
      expect(value(await store.rebuild({ check: true }))).toMatchObject({ differences: 0 })
    })

    it('does not hide a session that somebody already works in', async () => {
      const { store } = await open()
      value(await store.append([started(1, 'own'), waits(2, 'own')]))
      const before = value(await store.agents({ limit: 9 })).value
      const ended = event(5, of('own', { event: 'session_end', ...within }))
      value(await store.append([started(3, 'own', within), { ...waits(4, 'own'), ...within }, ended]))
      expect(value(await store.agents({ limit: 9 })).value).toEqual(before)
      expect(before).toMatchObject([{ id: 'main', state: 'waiting' }])
    })

    it('is shown again once it is started on its own', async () => {
      const { store, names } = await open()
      value(await store.append([started(1, 'child', within), waits(2, 'child'), started(3, 'child')]))
      expect(await names()).toEqual(['child main'])
    })
  })
}
