import type { StoredEvent } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { appendAll, numbered } from './event-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'
import { byName, lateness, shownAfter } from './live-agents.ts'
import { anyDay } from './random-day.ts'

const EVENTS = 5_500
/** At how many times the past is compared. Each time is replayed four times. */
const MOMENTS = 25

export function describeAnyPast(lab: StoreLab, moments = MOMENTS): void {
  describe('replay of random days', () => {
    const bench = useLab(lab)

    it.each([1, 2, 3])(
      'equals what the live view showed, at any seq and at any time (%i)',
      async (seed) => {
        const opened = await bench.open()
        const list = anyDay(seed, EVENTS)
        await appendAll(opened.store, list.slice(0, 3_300), 130)
        const { store } = await bench.reopen(opened)
        await appendAll(store, list.slice(3_300), 70)
        const shown = pickMoments(numbered(list), seed, moments)
        const check = async () => {
          for (const { seq, ts, bySeq, byTime } of shown) {
            const past = value(await store.agentsAt({ seq }))
            expect(past.seq).toBe(seq)
            expect(byName(past.value), `seq ${seq}`).toEqual(bySeq)
            const then = value(await store.agentsAt({ ts }))
            expect(byName(then.value), `ts ${ts}, of seq ${seq}`).toEqual(byTime)
          }
        }
        await check()
        value(await store.rebuild({ check: false }))
        await check()
      },
      60_000,
    )
  })
}

/** Picks times all over the log, with what the live view showed then. */
const pickMoments = (all: readonly StoredEvent[], seed: number, count: number) =>
  Array.from({ length: count }, (_, n) => {
    const seq = Math.floor(((n * 0.618_034 + seed / 7) % 1) * EVENTS) + 1
    const prefix = all.slice(0, seq)
    const ts = (all[seq - 1]?.ts ?? 0) + (n % 3) - 1
    const earlier = all.filter((each) => each.ts <= ts)
    return {
      seq,
      ts,
      bySeq: byName(shownAfter(prefix, lateness(prefix))),
      byTime: byName(shownAfter(earlier, ts)),
    }
  })
