import { describe, expect, it } from 'vitest'
import { appendAll, event } from './event-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'

/** Checks what only shows with many rows, which takes seconds. */
export function describeScale(lab: StoreLab): void {
  describe('agent and session queries at scale', () => {
    const bench = useLab(lab)

    it('find, list and end them immediately among many', async () => {
      const { store } = await bench.open()
      const spawn = (_: unknown, n: number) =>
        event(n, { event: 'agent_spawn', id: `agent-${n}`, session_id: n < 20_000 ? 'big' : `s${n}` })
      await appendAll(store, Array.from({ length: 30_000 }, spawn), 5_000)
      const ends = Array.from({ length: 1_000 }, (_, n) =>
        event(n, { key: `end-${n}`, ts: 2 ** 41 + n, event: 'session_end', session_id: 'big' }),
      )
      const start = performance.now()
      const missing = Array.from({ length: 2_000 }, (_, n) => `nobody-${n}`)
      expect(value(await store.findAgents([...missing, 'agent-7'])).size).toBe(1)
      expect(value(await store.agents({ session: 's29999', limit: 10 })).value).toHaveLength(1)
      await appendAll(store, ends.slice(0, 500), 500)
      await appendAll(store, ends.slice(500), 50)
      expect(performance.now() - start).toBeLessThan(10_000)
      const big = value(await store.agents({ session: 'big', limit: 1_000_000 })).value
      expect(big).toHaveLength(20_000)
      expect(new Set(big.map((each) => each.ended_at))).toEqual(new Set([2 ** 41]))
    })
  })
}
