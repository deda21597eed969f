import type { NewEvent } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventRow } from '../port.ts'
import { fold } from './fold.ts'
import { appendAll, day, event, events, numbered, readAll, readEvents, take } from './kit.ts'
import { type LedgerLab, useLab, value } from './lab.ts'
import { projected, sorted } from './projecting.ts'

/** The events at the start of the list that are all older than the moment. */
const older = (list: readonly NewEvent[], before: number): number => {
  const young = list.findIndex((each) => each.ts >= before)
  return young === -1 ? list.length : young
}

export function describeRetaining(lab: LedgerLab): void {
  describe('retention', () => {
    const bench = useLab(lab)

    it('drops the events that are too old, and nothing they amounted to', async () => {
      const opened = await bench.open()
      const { ledger } = opened
      const list = day(61, 6_000)
      await appendAll(ledger, list)
      const before = await projected(ledger)
      const cut = list[3_500]?.ts ?? 0
      const gone = older(list, cut)
      expect(value(await ledger.retain({ before: cut }))).toBe(gone)
      expect(value(await ledger.head())).toEqual({ first: gone + 1, last: 6_000 })
      expect(await readEvents(ledger)).toEqual(numbered(list).slice(gone))
      expect(await readEvents(ledger, { down: true })).toEqual(numbered(list).slice(gone).toReversed())
      expect(await projected(ledger)).toEqual(before)
      expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
      value(await ledger.rebuild({ check: false }))
      expect(await projected(ledger)).toEqual(before)

      const again = await bench.reopen(opened)
      expect(value(await again.ledger.head())).toEqual({ first: gone + 1, last: 6_000 })
      expect(await projected(again.ledger)).toEqual(before)
    })

    it('keeps what somebody still needs, however old or large it is', async () => {
      const { ledger } = await bench.open()
      await appendAll(ledger, day(62, 4_000))
      const all = { before: Number.MAX_SAFE_INTEGER, maxBytes: 1 }
      expect(value(await ledger.retain({ ...all, keepAfter: 0 }))).toBe(0)
      expect(value(await ledger.retain({ ...all, keepAfter: 1_500 }))).toBe(1_500)
      expect(value(await ledger.head())).toEqual({ first: 1_501, last: 4_000 })
      expect(value(await ledger.retain({ ...all, keepAfter: 700 }))).toBe(0)
      expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
    })

    it('drops a prefix only, however the times are mixed, again and again', async () => {
      const time = fc.integer({ min: 0, max: 12 })
      const { ledger } = await bench.open()
      const all: NewEvent[] = []
      await fc.assert(
        fc.asyncProperty(
          fc.array(time, { minLength: 1, maxLength: 80 }),
          fc.array(time, { minLength: 1, maxLength: 4 }),
          async (times, cuts) => {
            const start = all.length
            const late = start * 13
            const list = times.map((ts, n) => event(start + n, { ts: late + ts }))
            await appendAll(ledger, list)
            all.push(...list)
            const { first: oldest } = value(await ledger.head())
            let first = oldest - 1
            for (const cut of cuts) {
              const gone = Math.max(first, older(all, late + cut))
              expect(value(await ledger.retain({ before: late + cut }))).toBe(gone - first)
              first = gone
              expect(value(await ledger.head())).toEqual({ first: first + 1, last: all.length })
              expect(await readEvents(ledger)).toEqual(numbered(all).slice(first))
            }
            expect(await projected(ledger)).toEqual(sorted(fold(numbered(all))))
            expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
          },
        ),
        { numRuns: 12 },
      )
    })

    it('goes on with the next seq after everything was dropped, also after a restart', async () => {
      const opened = await bench.open()
      await appendAll(opened.ledger, events(300))
      expect(value(await opened.ledger.retain({ before: 8_640_000_000_000_000 }))).toBe(300)
      expect(value(await opened.ledger.head())).toEqual({ first: 301, last: 300 })
      expect(await readAll(opened.ledger)).toEqual([])
      const { ledger } = await bench.reopen(opened)
      expect(value(await ledger.head())).toEqual({ first: 301, last: 300 })
      expect(value(await ledger.append([event(900)]))).toEqual({ accepted: 1, duplicates: 0, last: 301 })
      expect(await readEvents(ledger)).toEqual([{ ...event(900), seq: 301 }])
      expect(await projected(ledger)).toEqual(sorted(fold(numbered([...events(300), event(900)]))))
      expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
    })

    it('is not held back by an event from the future, and keeps the newest of them', async () => {
      const { ledger } = await bench.open()
      const future = Date.now() + 1_000 * 86_400_000
      const list = events(1_000)
      list[10] = event(10, { ts: future })
      list[999] = event(999, { ts: future })
      await appendAll(ledger, list)
      expect(value(await ledger.retain({ before: list[600]?.ts }))).toBe(600)
      expect(value(await ledger.retain({ before: future - 2 * 86_400_000 }))).toBe(399)
      expect((await readAll(ledger)).map((row) => row.seq)).toEqual([1_000])
      expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
    })

    it('still knows the keys of what it kept', async () => {
      const { ledger } = await bench.open()
      const list = events(1_000)
      await appendAll(ledger, list)
      const gone = value(await ledger.retain({ before: list[600]?.ts }))
      expect(gone).toBe(600)
      expect(value(await ledger.append(list.slice(600)))).toEqual({
        accepted: 0,
        duplicates: 400,
        last: 1_000,
      })
    })

    it('drops the oldest until the ledger fits the size', async () => {
      const { ledger } = await bench.open()
      await appendAll(ledger, day(62, 15_000), 5_000)
      const before = await projected(ledger)
      const { bytes } = value(await ledger.info())
      const maxBytes = Math.round(bytes * 0.6)
      const gone = value(await ledger.retain({ maxBytes }))
      expect(gone).toBeGreaterThan(2_500)
      expect(gone).toBeLessThan(12_500)
      const after = value(await ledger.info())
      expect(after.bytes).toBeLessThanOrEqual(maxBytes)
      expect(after.head).toEqual({ first: gone + 1, last: 15_000 })
      expect(value(await ledger.retain({ maxBytes }))).toBe(0)
      expect(await projected(ledger)).toEqual(before)
      expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
    })

    it('drops nothing where nothing is too old or too large', async () => {
      const { ledger } = await bench.open()
      await appendAll(ledger, events(50))
      expect(value(await ledger.retain({}))).toBe(0)
      expect(value(await ledger.retain({ before: 1, maxBytes: 1_000_000_000 }))).toBe(0)
      expect(value(await ledger.head())).toEqual({ first: 1, last: 50 })
    })

    it('lets appends and readers go on meanwhile', async () => {
      const { ledger } = await bench.open()
      const list = day(63, 12_000)
      await appendAll(ledger, list.slice(0, 9_000))
      const retaining = ledger.retain({ before: list[7_000]?.ts ?? 0 })
      const reading = readAll(ledger, { limit: 200 })
      for (let at = 9_000; at < 12_000; at += 100) value(await ledger.append(list.slice(at, at + 100)))
      const gone = value(await retaining)
      expect(gone).toBe(older(list, list[7_000]?.ts ?? 0))
      const seen = (await reading).map((row) => row.seq)
      expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b))
      expect(await projected(ledger)).toEqual(sorted(fold(numbered(list))))
      expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
    })

    it('lets a reader it has overtaken go on at the oldest row', async () => {
      const { ledger } = await bench.open()
      const list = events(5_000)
      await appendAll(ledger, list)
      const gone = value(await ledger.retain({ before: list[4_000]?.ts }))
      const rows: readonly EventRow[] = await take(ledger, 10, 1_000)
      expect(rows.map((row) => row.seq)).toEqual(Array.from({ length: 5_000 - gone }, (_, n) => gone + n + 1))
    })

    it('does not begin when it was stopped before', async () => {
      const { ledger } = await bench.open()
      await appendAll(ledger, events(50))
      const stopped = await ledger.retain({ before: 8_640_000_000_000_000, signal: AbortSignal.abort() })
      expect(stopped).toMatchObject({ ok: false, code: 'stopped' })
      expect(value(await ledger.head())).toEqual({ first: 1, last: 50 })
    })

    it('can be stopped; what remains is whole', async () => {
      const { ledger } = await bench.open()
      await appendAll(ledger, day(64, 20_000), 5_000)
      const before = await projected(ledger)
      const stop = new AbortController()
      const work = { signal: stop.signal, onProgress: () => stop.abort() }
      const stopped = await ledger.retain({ before: 8_640_000_000_000_000, ...work })
      expect(stopped).toMatchObject({ ok: false, code: 'stopped' })
      const { first, last } = value(await ledger.head())
      expect(last).toBe(20_000)
      expect((await readAll(ledger)).map((row) => row.seq)).toEqual(
        Array.from({ length: last - first + 1 }, (_, n) => first + n),
      )
      expect(await projected(ledger)).toEqual(before)
      expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
    })
  })
}
