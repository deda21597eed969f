import { describe, expect, it } from 'vitest'
import { anyDay } from './any-day.ts'
import { appendAll, numbered } from './kit.ts'
import { type LedgerLab, useLab, value } from './lab.ts'
import { byName, lateness, shownAfter } from './shown.ts'

const EVENTS = 5_500

export function describeAnyPast(lab: LedgerLab): void {
  describe('replay of any days', () => {
    const bench = useLab(lab)

    it.each([1, 2, 3])(
      'is what live showed, at any seq and at any time (%i)',
      async (seed) => {
        const opened = await bench.open()
        const list = anyDay(seed, EVENTS)
        await appendAll(opened.ledger, list.slice(0, 3_300), 130)
        const { ledger } = await bench.reopen(opened)
        await appendAll(ledger, list.slice(3_300), 70)
        const all = numbered(list)
        const check = async () => {
          for (let n = 0; n < 25; n += 1) {
            const seq = Math.floor(((n * 0.618_034 + seed / 7) % 1) * EVENTS) + 1
            const past = value(await ledger.agentsAt({ seq }))
            expect(past.seq).toBe(seq)
            const prefix = all.slice(0, seq)
            expect(byName(past.value), `seq ${seq}`).toEqual(byName(shownAfter(prefix, lateness(prefix))))
            const ts = (all[seq - 1]?.ts ?? 0) + (n % 3) - 1
            const then = value(await ledger.agentsAt({ ts }))
            const told = all.filter((each) => each.ts <= ts)
            expect(byName(then.value), `ts ${ts}, of seq ${seq}`).toEqual(byName(shownAfter(told, ts)))
          }
        }
        await check()
        value(await ledger.rebuild({ check: false }))
        await check()
      },
      60_000,
    )
  })
}
