import type { StoredEvent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { anyDay } from './any-day.ts'
import { appendAll, numbered } from './kit.ts'
import { type LedgerLab, useLab, value } from './lab.ts'
import { byName, lateness, shownAfter } from './shown.ts'

const EVENTS = 5_500
/** At how many moments the past is compared; each is replayed four times. */
const MOMENTS = 25

export function describeAnyPast(lab: LedgerLab, moments = MOMENTS): void {
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
        const shown = momentsOf(numbered(list), seed, moments)
        const check = async () => {
          for (const { seq, ts, bySeq, byTime } of shown) {
            const past = value(await ledger.agentsAt({ seq }))
            expect(past.seq).toBe(seq)
            expect(byName(past.value), `seq ${seq}`).toEqual(bySeq)
            const then = value(await ledger.agentsAt({ ts }))
            expect(byName(then.value), `ts ${ts}, of seq ${seq}`).toEqual(byTime)
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

/** Moments all over the log, with what live showed then. */
const momentsOf = (all: readonly StoredEvent[], seed: number, count: number) =>
  Array.from({ length: count }, (_, n) => {
    const seq = Math.floor(((n * 0.618_034 + seed / 7) % 1) * EVENTS) + 1
    const prefix = all.slice(0, seq)
    const ts = (all[seq - 1]?.ts ?? 0) + (n % 3) - 1
    const told = all.filter((each) => each.ts <= ts)
    return {
      seq,
      ts,
      bySeq: byName(shownAfter(prefix, lateness(prefix))),
      byTime: byName(shownAfter(told, ts)),
    }
  })
