import type { NewEvent } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventRow } from '../port.ts'
import { appendAll, day, event, events, numbered, readAll, readEvents, take } from './event-kit.ts'
import { fold } from './fold.ts'
import { type StoreLab, useLab, value } from './lab.ts'
import { projected, sorted } from './projecting.ts'

/** Counts the events at the start of the list that are all older than the given time. */
const older = (list: readonly NewEvent[], before: number): number => {
  const young = list.findIndex((each) => each.ts >= before)
  return young === -1 ? list.length : young
}

export function describeRetaining(lab: StoreLab): void {
  describe('retention', () => {
    const bench = useLab(lab)

    it('drops events that are too old, but none of their results', async () => {
      const opened = await bench.open()
      const { store } = opened
      const list = day(61, 6_000)
      await appendAll(store, list)
      const before = await projected(store)
      const cut = list[3_500]?.ts ?? 0
      const gone = older(list, cut)
      expect(value(await store.retain({ before: cut }))).toBe(gone)
      expect(value(await store.head())).toEqual({ first: gone + 1, last: 6_000 })
      expect(await readEvents(store)).toEqual(numbered(list).slice(gone))
      expect(await readEvents(store, { down: true })).toEqual(numbered(list).slice(gone).toReversed())
      expect(await projected(store)).toEqual(before)
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
      value(await store.rebuild({ check: false }))
      expect(await projected(store)).toEqual(before)

      const again = await bench.reopen(opened)
      expect(value(await again.store.head())).toEqual({ first: gone + 1, last: 6_000 })
      expect(await projected(again.store)).toEqual(before)
    })

    it('keeps events that a reader still needs, however old or large', async () => {
      const { store } = await bench.open()
      await appendAll(store, day(62, 4_000))
      const all = { before: Number.MAX_SAFE_INTEGER, maxBytes: 1 }
      expect(value(await store.retain({ ...all, keepAfter: 0 }))).toBe(0)
      expect(value(await store.retain({ ...all, keepAfter: 1_500 }))).toBe(1_500)
      expect(value(await store.head())).toEqual({ first: 1_501, last: 4_000 })
      expect(value(await store.retain({ ...all, keepAfter: 700 }))).toBe(0)
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    })

    it('drops only a prefix, repeatedly, however the times are mixed', async () => {
      const time = fc.integer({ min: 0, max: 12 })
      const { store } = await bench.open()
      const all: NewEvent[] = []
      await fc.assert(
        fc.asyncProperty(
          fc.array(time, { minLength: 1, maxLength: 80 }),
          fc.array(time, { minLength: 1, maxLength: 4 }),
          async (times, cuts) => {
            const start = all.length
            const late = start * 13
            const list = times.map((ts, n) => event(start + n, { ts: late + ts }))
            await appendAll(store, list)
            all.push(...list)
            const { first: oldest } = value(await store.head())
            let first = oldest - 1
            for (const cut of cuts) {
              const gone = Math.max(first, older(all, late + cut))
              expect(value(await store.retain({ before: late + cut }))).toBe(gone - first)
              first = gone
              expect(value(await store.head())).toEqual({ first: first + 1, last: all.length })
              expect(await readEvents(store)).toEqual(numbered(all).slice(first))
            }
            expect(await projected(store)).toEqual(sorted(fold(numbered(all))))
            expect(value(await store.rebuild({ check: true })).differences).toBe(0)
          },
        ),
        { numRuns: 12 },
      )
    })

    it('continues with the next seq after everything was dropped, even after a restart', async () => {
      const opened = await bench.open()
      await appendAll(opened.store, events(300))
      expect(value(await opened.store.retain({ before: 8_640_000_000_000_000 }))).toBe(300)
      expect(value(await opened.store.head())).toEqual({ first: 301, last: 300 })
      expect(await readAll(opened.store)).toEqual([])
      const { store } = await bench.reopen(opened)
      expect(value(await store.head())).toEqual({ first: 301, last: 300 })
      expect(value(await store.append([event(900)]))).toEqual({ accepted: 1, duplicates: 0, last: 301 })
      expect(await readEvents(store)).toEqual([{ ...event(900), seq: 301 }])
      expect(await projected(store)).toEqual(sorted(fold(numbered([...events(300), event(900)]))))
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    })

    it('is not held back by events from the future, and keeps the newest of them', async () => {
      const { store } = await bench.open()
      const future = Date.now() + 1_000 * 86_400_000
      const list = events(1_000)
      list[10] = event(10, { ts: future })
      list[999] = event(999, { ts: future })
      await appendAll(store, list)
      expect(value(await store.retain({ before: list[600]?.ts }))).toBe(600)
      expect(value(await store.retain({ before: future - 2 * 86_400_000 }))).toBe(399)
      expect((await readAll(store)).map((row) => row.seq)).toEqual([1_000])
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    })

    it('still recognises the keys of the events it kept', async () => {
      const { store } = await bench.open()
      const list = events(1_000)
      await appendAll(store, list)
      const gone = value(await store.retain({ before: list[600]?.ts }))
      expect(gone).toBe(600)
      expect(value(await store.append(list.slice(600)))).toEqual({
        accepted: 0,
        duplicates: 400,
        last: 1_000,
      })
    })

    it('drops the oldest events until the store fits the size', async () => {
      const { store } = await bench.open()
      await appendAll(store, day(62, 15_000), 5_000)
      const before = await projected(store)
      const { bytes } = value(await store.info())
      const maxBytes = Math.round(bytes * 0.6)
      const gone = value(await store.retain({ maxBytes }))
      expect(gone).toBeGreaterThan(2_500)
      expect(gone).toBeLessThan(12_500)
      const after = value(await store.info())
      expect(after.bytes).toBeLessThanOrEqual(maxBytes)
      expect(after.head).toEqual({ first: gone + 1, last: 15_000 })
      expect(value(await store.retain({ maxBytes }))).toBe(0)
      expect(await projected(store)).toEqual(before)
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    })

    it('drops nothing when nothing is too old or too large', async () => {
      const { store } = await bench.open()
      await appendAll(store, events(50))
      expect(value(await store.retain({}))).toBe(0)
      expect(value(await store.retain({ before: 1, maxBytes: 1_000_000_000 }))).toBe(0)
      expect(value(await store.head())).toEqual({ first: 1, last: 50 })
    })

    it('lets appends and readers continue meanwhile', async () => {
      const { store } = await bench.open()
      const list = day(63, 12_000)
      await appendAll(store, list.slice(0, 9_000))
      const retaining = store.retain({ before: list[7_000]?.ts ?? 0 })
      const reading = readAll(store, { limit: 200 })
      for (let at = 9_000; at < 12_000; at += 100) value(await store.append(list.slice(at, at + 100)))
      const gone = value(await retaining)
      expect(gone).toBe(older(list, list[7_000]?.ts ?? 0))
      const seen = (await reading).map((row) => row.seq)
      expect(seen).toEqual([...new Set(seen)].toSorted((a, b) => a - b))
      expect(await projected(store)).toEqual(sorted(fold(numbered(list))))
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    })

    it('lets a reader that it overtook continue at the oldest row', async () => {
      const { store } = await bench.open()
      const list = events(5_000)
      await appendAll(store, list)
      const gone = value(await store.retain({ before: list[4_000]?.ts }))
      const rows: readonly EventRow[] = await take(store, 10, 1_000)
      expect(rows.map((row) => row.seq)).toEqual(Array.from({ length: 5_000 - gone }, (_, n) => gone + n + 1))
    })

    it('does not begin when it was already stopped', async () => {
      const { store } = await bench.open()
      await appendAll(store, events(50))
      const stopped = await store.retain({ before: 8_640_000_000_000_000, signal: AbortSignal.abort() })
      expect(stopped).toMatchObject({ ok: false, code: 'stopped' })
      expect(value(await store.head())).toEqual({ first: 1, last: 50 })
    })

    it('can be stopped and leaves a complete log', async () => {
      const { store } = await bench.open()
      await appendAll(store, day(64, 20_000), 5_000)
      const before = await projected(store)
      const stop = new AbortController()
      const work = { signal: stop.signal, onProgress: () => stop.abort() }
      const stopped = await store.retain({ before: 8_640_000_000_000_000, ...work })
      expect(stopped).toMatchObject({ ok: false, code: 'stopped' })
      const { first, last } = value(await store.head())
      expect(last).toBe(20_000)
      expect((await readAll(store)).map((row) => row.seq)).toEqual(
        Array.from({ length: last - first + 1 }, (_, n) => first + n),
      )
      expect(await projected(store)).toEqual(before)
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    })
  })
}
