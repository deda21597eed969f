import { describe, expect, it } from 'vitest'
import { appendAll, event } from './kit.ts'
import { type LedgerLab, useLab, value } from './lab.ts'

/** What only many rows show, which takes seconds. */
export function describeScale(lab: LedgerLab): void {
  describe('agents and sessions', () => {
    const bench = useLab(lab)

    it('are found, listed and ended at once among many', async () => {
      const { ledger } = await bench.open()
      const spawn = (_: unknown, n: number) =>
        event(n, { event: 'agent_spawn', id: `agent-${n}`, session_id: n < 20_000 ? 'big' : `s${n}` })
      await appendAll(ledger, Array.from({ length: 30_000 }, spawn), 5_000)
      const ends = Array.from({ length: 1_000 }, (_, n) =>
        event(n, { key: `end-${n}`, ts: 2 ** 41 + n, event: 'session_end', session_id: 'big' }),
      )
      const start = performance.now()
      const unknown = Array.from({ length: 2_000 }, (_, n) => `nobody-${n}`)
      expect(value(await ledger.findAgents([...unknown, 'agent-7'])).size).toBe(1)
      expect(value(await ledger.agents({ session: 's29999', limit: 10 })).value).toHaveLength(1)
      await appendAll(ledger, ends.slice(0, 500), 500)
      await appendAll(ledger, ends.slice(500), 50)
      expect(performance.now() - start).toBeLessThan(10_000)
      const big = value(await ledger.agents({ session: 'big', limit: 1_000_000 })).value
      expect(big).toHaveLength(20_000)
      expect(new Set(big.map((each) => each.ended_at))).toEqual(new Set([2 ** 41]))
    })
  })
}
