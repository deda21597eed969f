import type { EventsPage, StoredEvent } from '@panoptes/schema'
import { createStore } from '../store.ts'
import { BLANK, type EventList, NEWEST, type ReadPage } from './list.ts'

const PAGE = 200
const MOST_PAGES = 100
const MOST_READS = 3
/** Dragging the thumb over a million rows must not load each of them. */
const PAUSE_MS = 40

/** Null stands for a forgotten event, of which only the number is left. */
type Page = Map<number, StoredEvent | null>

/** Every event. `seq` has no gaps, so a row's seq is known without reading it: the newest minus the row's number. */
export class SeqList implements EventList {
  readonly state = createStore(BLANK)
  readonly #read: ReadPage
  readonly #pages = new Lru<number, Page>(MOST_PAGES)
  readonly #reading = new Set<number>()
  #closed = new AbortController()
  #started = false
  #first = 1
  #latest = 0
  /** The seq of the first row. Newer events wait while the list is held. */
  #top = 0
  #held = false
  #wanted: readonly [from: number, to: number] = [0, 0]
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(read: ReadPage) {
    this.#read = read
    void this.#start()
  }

  at = (index: number): StoredEvent | undefined => {
    const seq = this.#top - index
    return this.#pages.peek(pageNumber(seq))?.get(seq) ?? undefined
  }

  isGone = (index: number): boolean => {
    const seq = this.#top - index
    return this.#pages.peek(pageNumber(seq))?.get(seq) === null
  }

  keyAt = (index: number): number => this.#top - index

  indexOf = (seq: number): number | undefined =>
    seq > this.#top || seq < this.#first ? undefined : this.#top - seq

  setVisibleRange = (from: number, to: number): void => {
    this.#wanted = [from, to]
    if (this.state.get().phase !== 'ready') return
    this.#timer ??= setTimeout(this.#fetch, PAUSE_MS)
  }

  hold = (on: boolean): void => {
    if (on === this.#held) return
    this.#held = on
    if (!on) this.#top = this.#latest
    this.#tell()
  }

  take = (events: readonly StoredEvent[]): void => {
    for (const event of events) {
      this.#latest = Math.max(this.#latest, event.seq)
      if (!this.#held) this.#page(event.seq).set(event.seq, event)
    }
    this.#grow()
  }

  onBreak = ({ to }: { readonly to: number }): void => {
    this.#latest = Math.max(this.#latest, to)
    this.#grow()
  }

  retry = (): void => {
    if (this.state.get().phase !== 'failed') return
    this.state.update((before) => ({ ...before, phase: this.#started ? 'ready' : 'loading', error: null }))
    if (this.#started) this.#fetch()
    else void this.#start()
  }

  reload = (): void => {
    this.close()
    this.#closed = new AbortController()
    this.#started = false
    this.#reading.clear()
    this.#pages.clear()
    this.#first = 1
    this.#latest = 0
    this.#top = 0
    this.state.set({ ...BLANK, version: this.state.get().version + 1 })
    void this.#start()
  }

  close = (): void => {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#closed.abort()
  }

  async #start(): Promise<void> {
    const { signal } = this.#closed
    try {
      const page = await this.#read({ before: NEWEST, limit: PAGE }, signal)
      if (signal.aborted) return
      this.#started = true
      this.#keep(page)
      this.#latest = Math.max(this.#latest, page.last)
      this.#top = this.#latest
      this.state.update((before) => ({ ...before, phase: 'ready', error: null }))
      this.#tell()
    } catch (error) {
      if (!signal.aborted) this.#fail(error)
    }
  }

  #fetch = (): void => {
    this.#timer = undefined
    if (this.state.get().phase !== 'ready') return
    const [from, to] = this.#wanted
    const newest = Math.min(this.#top, this.#top - from)
    const oldest = Math.max(this.#first, this.#top - to)
    for (let page = pageNumber(newest); page >= pageNumber(oldest) && oldest <= newest; page -= 1) {
      if (this.#reading.size >= MOST_READS) return
      if (!this.#reading.has(page) && !this.#isWhole(page)) void this.#readPage(page)
    }
  }

  async #readPage(page: number): Promise<void> {
    const { signal } = this.#closed
    this.#reading.add(page)
    try {
      const read = await this.#read({ after: page * PAGE, limit: PAGE }, signal)
      if (signal.aborted) return
      this.#keep(read)
      this.#noteGone(page, read.last)
      this.#reading.delete(page)
      this.#tell()
      this.#fetch()
    } catch (error) {
      if (signal.aborted) return
      this.#reading.delete(page)
      this.#fail(error)
    }
  }

  #keep(page: EventsPage): void {
    this.#first = page.first
    for (const event of page.events) this.#page(event.seq).set(event.seq, event)
  }

  /** A whole page was requested, so events missing from it do not exist. */
  #noteGone(page: number, last: number): void {
    const held = this.#page(page * PAGE + 1)
    const to = Math.min(last, (page + 1) * PAGE)
    for (let seq = Math.max(this.#first, page * PAGE + 1); seq <= to; seq += 1)
      if (!held.has(seq)) held.set(seq, null)
  }

  #page(seq: number): Page {
    const cached = this.#pages.get(pageNumber(seq))
    if (cached) return cached
    const page: Page = new Map()
    this.#pages.set(pageNumber(seq), page)
    return page
  }

  #isWhole(page: number): boolean {
    const from = Math.max(this.#first, page * PAGE + 1)
    const to = Math.min(this.#top, (page + 1) * PAGE)
    const held = this.#pages.get(page)
    if (!held) return false
    for (let seq = from; seq <= to; seq += 1) if (!held.has(seq)) return false
    return true
  }

  #grow(): void {
    if (!this.#started) return
    if (!this.#held) this.#top = this.#latest
    this.#tell()
  }

  #fail(error: unknown): void {
    this.state.update((before) => ({
      ...before,
      phase: 'failed',
      reading: false,
      error,
      version: before.version + 1,
    }))
  }

  #tell(): void {
    this.state.update((before) => ({
      ...before,
      version: before.version + 1,
      rows: Math.max(0, this.#top - this.#first + 1),
      reading: this.#reading.size > 0,
      newer: this.#latest - this.#top,
    }))
  }
}

const pageNumber = (seq: number): number => Math.floor((seq - 1) / PAGE)

/** An LRU map. */
class Lru<K, V> {
  readonly #entries = new Map<K, V>()
  readonly #limit: number

  constructor(limit: number) {
    this.#limit = limit
  }

  get size(): number {
    return this.#entries.size
  }

  /** Reads an entry without marking it as used. */
  peek(key: K): V | undefined {
    return this.#entries.get(key)
  }

  get(key: K): V | undefined {
    const value = this.#entries.get(key)
    if (value === undefined) return undefined
    this.#entries.delete(key)
    this.#entries.set(key, value)
    return value
  }

  set(key: K, value: V): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
    while (this.#entries.size > this.#limit) {
      const oldest = this.#entries.keys().next()
      if (oldest.done) return
      this.#entries.delete(oldest.value)
    }
  }

  clear(): void {
    this.#entries.clear()
  }
}
