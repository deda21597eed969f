import { describe, expect, it } from 'vitest'
import type { EventRow } from '../port.ts'
import { appendAll, day, event, events, numbered, parse, take } from './event-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'

const seqs = (rows: readonly EventRow[]): number[] => rows.map((row) => row.seq)
const from = (after: number, to: number): number[] =>
  Array.from({ length: to - after }, (_, n) => after + n + 1)

export function describeSubscribing(lab: StoreLab): void {
  describe('subscribing', () => {
    const bench = useLab(lab)

    it('delivers every row once and in order, from any seq, while appends continue', async () => {
      const { store } = await bench.open()
      const list = day(31, 6_000)
      await appendAll(store, list.slice(0, 2_000))
      const starts = [0, 1, 999, 1_999, 2_000, 2_001, 4_000]
      const readers = starts.map((after) => take(store, after, 6_000 - after))
      await Promise.all(
        Array.from({ length: 40 }, (_, n) => store.append(list.slice(2_000 + n * 100, 2_100 + n * 100))),
      )
      for (const [n, rows] of (await Promise.all(readers)).entries()) {
        expect(seqs(rows)).toEqual(from(starts[n] ?? 0, 6_000))
      }
      expect((await take(store, 0, 2_000)).slice(0, 2_000).map(parse)).toEqual(numbered(list.slice(0, 2_000)))
    })

    it('continues across a restart from the last seq seen', async () => {
      const opened = await bench.open()
      await appendAll(opened.store, events(700))
      const seen = await take(opened.store, 0, 700)
      const { store } = await bench.reopen(opened)
      const rest = take(store, seen.at(-1)?.seq ?? 0, 5)
      await appendAll(store, events(5, 'later'))
      expect(seqs(await rest)).toEqual([701, 702, 703, 704, 705])
    })

    it('waits beyond the end and delivers only what follows the requested seq', async () => {
      const { store } = await bench.open()
      const waiting = take(store, 10, 2)
      for (let n = 0; n < 12; n += 1) value(await store.append([event(n)]))
      expect(seqs(await waiting)).toEqual([11, 12])
    })

    it('lets a slow reader delay neither the writer nor other readers', async () => {
      const { store } = await bench.open()
      const end = new AbortController()
      const slow = store.subscribe(0, end.signal)[Symbol.asyncIterator]()
      value(await store.append(events(10)))
      const first = await slow.next()
      const quick = take(store, 0, 20_010)
      await appendAll(store, events(20_000, 'more'))
      expect(seqs(await quick)).toEqual(from(0, 20_010))
      const late: EventRow[] = [...(first.value ?? [])]
      while (late.length < 20_010) late.push(...((await slow.next()).value ?? []))
      expect(seqs(late)).toEqual(from(0, 20_010))
      end.abort()
      expect(await slow.next()).toMatchObject({ done: true })
    })

    it('ends at once when it is aborted, before or while it waits', async () => {
      const { store } = await bench.open()
      value(await store.append(events(3)))
      expect(await store.subscribe(0, AbortSignal.abort())[Symbol.asyncIterator]().next()).toMatchObject({
        done: true,
      })
      const end = new AbortController()
      const rows = store.subscribe(3, end.signal)[Symbol.asyncIterator]()
      const next = rows.next()
      end.abort()
      expect(await next).toMatchObject({ done: true })
    })

    it('ends when the store closes', async () => {
      const { store } = await bench.open()
      value(await store.append(events(3)))
      const ends = Array.from({ length: 5 }, async (_, n) => {
        const rows: EventRow[] = []
        for await (const page of store.subscribe(n, new AbortController().signal)) rows.push(...page)
        return seqs(rows)
      })
      await take(store, 0, 3)
      await store.close()
      expect((await Promise.all(ends)).map((rows) => rows.length <= 3)).toEqual(Array(5).fill(true))
    })

    it('can be left by the reader', async () => {
      const { store } = await bench.open()
      value(await store.append(events(3)))
      const seen: number[] = []
      for await (const page of store.subscribe(0, new AbortController().signal)) {
        seen.push(...seqs(page))
        break
      }
      expect(seen).toEqual([1, 2, 3])
      expect(value(await store.append([event(9)])).last).toBe(4)
    })

    it('serves a hundred readers at once', async () => {
      const { store } = await bench.open()
      const readers = Array.from({ length: 100 }, () => take(store, 0, 500))
      await Promise.all(Array.from({ length: 50 }, (_, n) => store.append(events(10, `b${n}-`))))
      for (const rows of await Promise.all(readers)) expect(seqs(rows)).toEqual(from(0, 500))
    })
  })
}
