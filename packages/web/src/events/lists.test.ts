import type { EventsPage, StoredEvent } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { EventLog } from './events.test-kit.ts'
import { FilteredList } from './filtered-list.ts'
import type { EventList, PageRange, ReadPage } from './list.ts'
import { SeqList } from './seq-list.ts'

/**
 * Reads pages of a log in which every tenth event is a usage event; `scan` limits how many events one page
 * searches.
 */
class TestReader {
  readonly log: EventLog
  reads: PageRange[] = []
  isBroken = false
  readonly #scan: number
  readonly #matches: (event: StoredEvent) => boolean

  constructor(last: number, matches: (event: StoredEvent) => boolean = () => true, scan = 10_000) {
    this.log = new EventLog(last, (seq) => ({ event: kindAt(seq) }))
    this.#matches = matches
    this.#scan = scan
  }

  read: ReadPage = async (range): Promise<EventsPage> => {
    this.reads.push(range)
    await Promise.resolve()
    if (this.isBroken) throw new Error('no answer')
    return this.log.page(range, this.#matches, this.#scan)
  }

  append(count: number): StoredEvent[] {
    const first = this.log.last + 1
    return this.log.append(...Array.from({ length: count }, (_, i) => ({ event: kindAt(first + i) })))
  }
}

const kindAt = (seq: number): string => (seq % 10 === 0 ? 'usage' : 'prompt')

const seqs = (list: EventList, from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => list.at(from + i)?.seq)
const settle = () => vi.advanceTimersByTimeAsync(200)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('the list of all events', () => {
  it('knows all five million rows and loads only the visible ones', async () => {
    const reader = new TestReader(5_000_000)
    const list = new SeqList(reader.read)
    await settle()
    expect(list.state.get().rows).toBe(5_000_000)
    expect(seqs(list, 0, 3)).toEqual([5_000_000, 4_999_999, 4_999_998])
    list.setVisibleRange(2_500_000, 2_500_030)
    await settle()
    expect(list.at(2_500_010)?.seq).toBe(2_499_990)
    expect(reader.reads.length).toBeLessThanOrEqual(3)
    list.close()
  })

  it('sends few requests while the thumb crosses a million rows', async () => {
    const reader = new TestReader(1_000_000)
    const list = new SeqList(reader.read)
    await settle()
    for (let row = 0; row < 1_000_000; row += 1_000) {
      list.setVisibleRange(row, row + 30)
      await vi.advanceTimersByTimeAsync(1)
    }
    await settle()
    expect(reader.reads.length).toBeLessThan(150)
    expect(list.at(999_010)?.seq).toBe(990)
    list.close()
  })

  it('marks forgotten events and does not request them again', async () => {
    const reader = new TestReader(1_000, ({ seq }) => seq < 300 || (seq > 650 && seq <= 990))
    const list = new SeqList(reader.read)
    await settle()
    list.setVisibleRange(0, 999)
    await settle()
    await settle()
    expect(reader.reads.length).toBeLessThanOrEqual(7)
    expect(
      [0, 9, 10, 349, 350, 699, 700, 701].map((index) => [list.at(index)?.seq, list.isGone(index)]),
    ).toEqual([
      [undefined, true],
      [undefined, true],
      [990, false],
      [651, false],
      [undefined, true],
      [undefined, true],
      [undefined, true],
      [299, false],
    ])
    list.close()
  })

  it('puts live events on top', async () => {
    const reader = new TestReader(500)
    const list = new SeqList(reader.read)
    await settle()
    list.take(reader.append(3))
    expect(seqs(list, 0, 4)).toEqual([503, 502, 501, 500])
    expect(list.indexOf(500)).toBe(3)
    list.close()
  })

  it('stays in place while held, counts newer events and shows them on release', async () => {
    const reader = new TestReader(500)
    const list = new SeqList(reader.read)
    await settle()
    list.hold(true)
    list.take(reader.append(23))
    expect(list.at(0)?.seq).toBe(500)
    expect(list.state.get().newer).toBe(23)
    list.hold(false)
    list.setVisibleRange(0, 30)
    await settle()
    expect(seqs(list, 0, 3)).toEqual([523, 522, 521])
    expect(list.state.get().newer).toBe(0)
    list.close()
  })

  it('loads events that the stream skipped', async () => {
    const reader = new TestReader(100)
    const list = new SeqList(reader.read)
    await settle()
    reader.append(212)
    list.onBreak({ to: 312 })
    expect(list.state.get().rows).toBe(312)
    expect(list.at(0)).toBeUndefined()
    list.setVisibleRange(0, 30)
    await settle()
    expect(list.at(0)?.seq).toBe(312)
    list.close()
  })

  it('drops events that retention removed', async () => {
    const reader = new TestReader(1_000)
    const list = new SeqList(reader.read)
    await settle()
    reader.log.first = 601
    list.setVisibleRange(500, 530)
    await settle()
    expect(list.state.get().rows).toBe(400)
    expect(list.indexOf(600)).toBeUndefined()
    list.close()
  })

  it('stops loading after a failure until it is retried', async () => {
    const reader = new TestReader(1_000)
    const list = new SeqList(reader.read)
    await settle()
    reader.isBroken = true
    list.setVisibleRange(600, 630)
    await settle()
    expect(list.state.get().phase).toBe('failed')
    const asked = reader.reads.length
    list.setVisibleRange(600, 630)
    await settle()
    expect(reader.reads.length).toBe(asked)
    reader.isBroken = false
    list.retry()
    await settle()
    expect(list.at(610)?.seq).toBe(390)
    list.close()
  })
})

describe('a filtered list', () => {
  const isUsage = (event: StoredEvent) => event.event === 'usage'

  it('loads older pages only when the view comes near the end', async () => {
    const reader = new TestReader(10_000, isUsage)
    const list = new FilteredList(reader.read, isUsage)
    await settle()
    expect(list.state.get()).toMatchObject({ rows: 200, complete: false })
    for (let row = 0; row < 1_000; row += 20) {
      list.setVisibleRange(row, row + 30)
      await settle()
    }
    expect(list.state.get()).toMatchObject({ rows: 1_000, complete: true })
    expect(list.at(999)?.seq).toBe(10)
    list.close()
  })

  it('continues through pages without a match', async () => {
    const reader = new TestReader(100_000, (event) => event.seq < 50, 1_000)
    const list = new FilteredList(reader.read, (event) => event.seq < 50)
    await vi.waitFor(() => expect(list.state.get().complete).toBe(true), 30_000)
    expect(list.state.get().rows).toBe(49)
    list.close()
  })

  it('drops events far from view and loads them again on the way back', async () => {
    const reader = new TestReader(40_000)
    const list = new FilteredList(reader.read, () => true)
    await settle()
    for (let row = 0; row < 30_000; row += 100) {
      list.setVisibleRange(row, row + 30)
      await settle()
    }
    expect(list.at(0)).toBeUndefined()
    expect(list.keyAt(0)).toBe(40_000)
    list.setVisibleRange(0, 30)
    await settle()
    expect(list.at(0)?.seq).toBe(40_000)
    list.close()
  })

  it('puts only matching live events on top, each once', async () => {
    const reader = new TestReader(1_000, isUsage)
    const list = new FilteredList(reader.read, isUsage)
    list.take(reader.append(20))
    await settle()
    list.take(reader.append(20))
    expect(seqs(list, 0, 5)).toEqual([1_040, 1_030, 1_020, 1_010, 1_000])
    list.close()
  })

  it('counts newer matches while held', async () => {
    const reader = new TestReader(1_000, isUsage)
    const list = new FilteredList(reader.read, isUsage)
    await settle()
    list.hold(true)
    list.take(reader.append(30))
    expect(list.state.get().newer).toBe(3)
    expect(list.at(0)?.seq).toBe(1_000)
    list.hold(false)
    expect(list.at(0)?.seq).toBe(1_030)
    list.close()
  })

  it('loads skipped events into their place', async () => {
    const reader = new TestReader(1_000, isUsage)
    const list = new FilteredList(reader.read, isUsage)
    await settle()
    reader.append(40)
    list.onBreak({ from: 1_001, to: 1_040, missed: true })
    list.take(reader.append(10))
    await settle()
    expect(seqs(list, 0, 6)).toEqual([1_050, 1_040, 1_030, 1_020, 1_010, 1_000])
    list.close()
  })

  it('starts over from the newest events instead of growing without limit', async () => {
    const reader = new TestReader(1_000)
    const list = new FilteredList(reader.read, () => true)
    await settle()
    for (let i = 0; i < 10; i += 1) list.take(reader.append(500))
    await settle()
    expect(list.state.get().rows).toBeLessThan(2_000)
    expect(list.at(0)?.seq).toBe(6_000)
    list.close()
  })
})
