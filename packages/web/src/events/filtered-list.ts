import type { EventsPage, StoredEvent } from '@panoptes/schema'
import { createStore } from '../store.ts'
import type { Break } from '../stream/tail.ts'
import { BLANK, type EventList, NEWEST, type ReadPage } from './list.ts'

const PAGE = 200
/** Pages further from view than this drop their events but keep their place. */
const MOST_PAGES = 60
/** This many live rows are kept above the pages; beyond that the list starts over from the newest. */
const MOST_LIVE = 4_000
/** More is loaded when the view comes this close to the end of the known rows. */
const AHEAD = 60

interface Chunk {
  readonly before: number
  readonly seqs: readonly number[]
  events: readonly StoredEvent[] | null
}

/** Events that match a filter, loaded backwards page by page. Live events are matched here and put on top. */
export class FilteredList implements EventList {
  readonly state = createStore({ ...BLANK, complete: false })
  readonly #read: ReadPage
  readonly #matches: (event: StoredEvent) => boolean
  #closed = new AbortController()
  /** Oldest first, so that a new one is pushed. */
  #live: StoredEvent[] = []
  #waiting: StoredEvent[] = []
  #waitingLost = 0
  #chunks: Chunk[] = []
  #next: number | null = NEWEST
  /** Everything up to this seq was searched. */
  #seen = 0
  #held = false
  #reading = false
  /** Live events that arrived before the first page was loaded. */
  #early: StoredEvent[] = []
  /** Gaps in the live events; the first one is filled next. */
  #breaks: Break[] = []

  constructor(read: ReadPage, matches: (event: StoredEvent) => boolean) {
    this.#read = read
    this.#matches = matches
    void this.#extend()
  }

  /** A filtered list never holds forgotten events. */
  isGone = (): boolean => false

  at = (index: number): StoredEvent | undefined => {
    if (index < this.#live.length) return this.#live[this.#live.length - 1 - index]
    const place = this.#findPlace(index)
    return place && this.#chunks[place.chunk]?.events?.[place.offset]
  }

  keyAt = (index: number): number => {
    if (index < this.#live.length) return this.#live[this.#live.length - 1 - index]?.seq ?? -index
    const place = this.#findPlace(index)
    return (place && this.#chunks[place.chunk]?.seqs[place.offset]) ?? -index
  }

  indexOf = (seq: number): number | undefined => {
    const live = this.#live.findLastIndex((event) => event.seq === seq)
    if (live >= 0) return this.#live.length - 1 - live
    let start = this.#live.length
    for (const { seqs } of this.#chunks) {
      const offset = seqs.indexOf(seq)
      if (offset >= 0) return start + offset
      start += seqs.length
    }
    return undefined
  }

  setVisibleRange = (from: number, to: number): void => {
    if (this.state.get().phase === 'failed') return
    const first = this.#findPlace(Math.max(from, this.#live.length))?.chunk
    const last = this.#findPlace(to)?.chunk
    for (let i = first ?? 0; first !== undefined && i <= (last ?? this.#chunks.length - 1); i += 1) {
      if (this.#chunks[i]?.events === null) void this.#restore(i)
    }
    this.#evict(first ?? this.#chunks.length - 1)
    if (to + AHEAD >= this.#rows()) void this.#extend()
  }

  hold = (on: boolean): void => {
    if (on === this.#held) return
    this.#held = on
    if (on) return
    if (this.#waitingLost > 0) this.reload()
    this.#live.push(...this.#waiting)
    this.#waiting = []
    this.#tell()
  }

  take = (events: readonly StoredEvent[]): void => {
    if (this.#chunks.length === 0) {
      if (this.#early.length < MOST_LIVE) this.#early.push(...events)
      return
    }
    const fresh = events.filter((event) => event.seq > this.#seen && this.#matches(event))
    this.#seen = Math.max(this.#seen, events.at(-1)?.seq ?? 0)
    if (fresh.length === 0) return
    if (!this.#held) this.#live.push(...fresh)
    else if (this.#waiting.length < MOST_LIVE) this.#waiting.push(...fresh)
    else this.#waitingLost += fresh.length
    if (this.#live.length > MOST_LIVE && !this.#held) this.reload()
    else this.#tell()
  }

  onBreak = (gap: Break): void => {
    if (this.#chunks.length === 0) return
    this.#breaks.push(gap)
    this.#seen = Math.max(this.#seen, gap.to)
    void this.#fill()
  }

  retry = (): void => {
    if (this.state.get().phase !== 'failed') return
    this.state.update((before) => ({ ...before, phase: 'ready', error: null, version: before.version + 1 }))
    if (this.#chunks.length === 0) void this.#extend()
    else void this.#fill()
  }

  reload = (): void => {
    this.#closed.abort()
    this.#closed = new AbortController()
    this.#live = []
    this.#waiting = []
    this.#waitingLost = 0
    this.#chunks = []
    this.#next = NEWEST
    this.#seen = 0
    this.#reading = false
    this.#early = []
    this.#breaks = []
    this.state.set({ ...BLANK, complete: false, version: this.state.get().version + 1 })
    void this.#extend()
  }

  close = (): void => this.#closed.abort()

  async #extend(): Promise<void> {
    const before = this.#next
    if (this.#reading || before === null) return
    await this.#guard(async (signal) => {
      const page = await this.#read({ before, limit: PAGE }, signal)
      const first = this.#chunks.length === 0
      this.#chunks.push({ before, seqs: page.events.map((event) => event.seq), events: page.events })
      this.#next = page.next
      if (!first) return
      this.#seen = page.last
      const early = this.#early
      this.#early = []
      this.take(early)
    })
    const { phase } = this.state.get()
    if (phase === 'ready' && this.#rows() < AHEAD) void this.#extend()
  }

  async #restore(index: number): Promise<void> {
    const chunk = this.#chunks[index]
    if (!chunk || chunk.events || this.#reading) return
    await this.#guard(async (signal) => {
      const page: EventsPage = await this.#read({ before: chunk.before, limit: PAGE }, signal)
      const bySeq = new Map(page.events.map((event) => [event.seq, event]))
      chunk.events = chunk.seqs.flatMap((seq) => bySeq.get(seq) ?? [])
    })
  }

  /** Loads the events that the stream skipped. */
  async #fill(): Promise<void> {
    const gap = this.#breaks[0]
    if (!gap || this.#reading) return
    const found: StoredEvent[] = []
    await this.#guard(async (signal) => {
      for (let at: number | null = gap.from - 1; at !== null && at < gap.to; ) {
        const page: EventsPage = await this.#read({ after: at, limit: PAGE }, signal)
        found.push(...page.events.filter((event) => event.seq <= gap.to))
        at = found.length > MOST_LIVE ? null : page.next
      }
      this.#breaks.shift()
    })
    if (found.length > MOST_LIVE && !this.#held) return this.reload()
    const into = this.#held ? this.#waiting : this.#live
    const seqs = new Set(into.map((event) => event.seq))
    into.push(...found.filter((event) => !seqs.has(event.seq)))
    into.sort((a, b) => a.seq - b.seq)
    this.#tell()
    if (this.state.get().phase === 'ready') void this.#fill()
  }

  async #guard(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { signal } = this.#closed
    this.#reading = true
    try {
      await work(signal)
      if (signal.aborted) return
      this.state.update((before) => ({ ...before, phase: 'ready', error: null }))
    } catch (error) {
      if (signal.aborted) return
      this.state.update((before) => ({ ...before, phase: 'failed', error }))
    }
    this.#reading = false
    this.#tell()
  }

  #evict(near: number): void {
    const loaded = this.#chunks.flatMap((chunk, i) => (chunk.events ? [i] : []))
    if (loaded.length <= MOST_PAGES) return
    loaded.sort((a, b) => Math.abs(b - near) - Math.abs(a - near))
    for (const i of loaded.slice(0, loaded.length - MOST_PAGES)) {
      const chunk = this.#chunks[i]
      if (chunk) chunk.events = null
    }
  }

  #findPlace(index: number): { readonly chunk: number; readonly offset: number } | undefined {
    let offset = index - this.#live.length
    if (offset < 0) return undefined
    for (let chunk = 0; chunk < this.#chunks.length; chunk += 1) {
      const size = this.#chunks[chunk]?.seqs.length ?? 0
      if (offset < size) return { chunk, offset }
      offset -= size
    }
    return undefined
  }

  #rows(): number {
    return this.#live.length + this.#chunks.reduce((sum, chunk) => sum + chunk.seqs.length, 0)
  }

  #tell(): void {
    this.state.update((before) => ({
      ...before,
      version: before.version + 1,
      rows: this.#rows(),
      complete: this.#next === null,
      lookedTo: this.#next === NEWEST ? null : this.#next,
      reading: this.#reading,
      newer: this.#waiting.length + this.#waitingLost,
    }))
  }
}
