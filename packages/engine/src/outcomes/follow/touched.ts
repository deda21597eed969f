import type { EventRow, EventStore, Marks } from '@panoptes/engine/store'
import type { Failure, Result, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { RULES } from './fingerprint.ts'

const MARK = 'review.log'
const PAGE = 1_000
const MOST_SESSIONS = 100_000
const MOST_SOURCES = 1_000
/** So many wait at most; what is told after that is read in the log once they were seen to. */
const MOST_WAITING = 5_000

/** What can change who is through with his work. */
const LIFE: ReadonlySet<string> = new Set([
  'session_start',
  'session_end',
  'prompt',
  'agent_spawn',
  'agent_link',
  'agent_done',
  'agent_lost',
])

/** A session of which something was stored that its account does not know yet. */
export interface TouchedSession {
  readonly ref: SessionRef
  /** The first of it. */
  readonly since: number
  /** Somebody began or ended. */
  readonly life: boolean
}

/** Which sessions got events, from where it was left. What was not seen to is seen again after a restart. */
export class Touched {
  readonly #store: EventStore
  /** What accounts are made by: of another, every session has to be looked at again. */
  readonly #by: string
  /** Told of events that say that something is not to be recorded. */
  readonly #bypass: (session: SessionRef) => void
  readonly #most: number
  readonly #sources = new Set<string>()
  #sessions = new Map<string, TouchedSession>()
  #seq: number | undefined
  #isBehind = false
  #marked = ''
  /** Up to where the log is still what it was. */
  #back = Number.POSITIVE_INFINITY

  constructor(store: EventStore, by: string, bypass: (session: SessionRef) => void, most = MOST_WAITING) {
    this.#store = store
    this.#bypass = bypass
    this.#most = most
    this.#by = JSON.stringify([RULES, by])
  }

  /** Up to where the log was looked at. */
  get seq(): number {
    return this.#seq ?? 0
  }

  /** Whose sessions it has been so far. */
  get sources(): readonly string[] {
    return [...this.#sources]
  }

  /** More was stored than was taken in. */
  get isBehind(): boolean {
    return this.#isBehind
  }

  /** What was just stored. What does not fit, and what comes after that, is left in the log. */
  saw(rows: readonly EventRow[]): void {
    const fresh = rows.filter(({ seq }) => seq > this.seq)
    const [first] = fresh
    if (first === undefined) return
    const follows = !this.#isBehind && first.seq === this.seq + 1
    this.#isBehind = !(follows && this.#take(fresh))
    if (this.#isBehind) for (const row of fresh) this.#heed(eventOf(row))
  }

  /** What was marked, and the accounts with it, went back with the log; so it is begun again from what is marked now. */
  wentBack(to: number): void {
    this.#back = Math.min(this.#back, to)
    this.#seq = undefined
    this.#isBehind = true
  }

  /** Whether all of it fitted. */
  #take(rows: readonly EventRow[]): boolean {
    for (const row of rows) {
      if (row.seq <= this.seq) continue
      if (this.#sessions.size >= this.#most) return false
      this.#seq = row.seq
      const told = eventOf(row)
      if (told === undefined) continue
      this.#heed(told)
      this.add({ source: told.source, id: told.session_id }, row.seq, LIFE.has(told.event))
    }
    return true
  }

  /** That something is not to be recorded is heeded at once. */
  #heed(told: Told | undefined): void {
    if (told?.event === 'bypass') this.#bypass({ source: told.source, id: told.session_id })
  }

  add(ref: SessionRef, since: number, life: boolean): void {
    const key = JSON.stringify([ref.source, ref.id])
    const before = this.#sessions.get(key)
    if (this.#sources.size < MOST_SOURCES) this.#sources.add(ref.source)
    this.#sessions.set(key, {
      ref,
      since: Math.min(before?.since ?? since, since),
      life: before?.life === true || life,
    })
  }

  /** Everything that was stored up to now, as far as it fits. */
  async catchUp(): Promise<Failure | undefined> {
    for (;;) {
      const begun = await this.#begin()
      if (begun) return begun
      const page = await this.#store.read({ after: this.seq, limit: PAGE })
      if (!page.ok) return page
      // What was read may never have been.
      if (this.#seq === undefined) continue
      this.#isBehind = !this.#take(page.value.rows)
      if (this.#isBehind || page.value.next === null) return undefined
      this.#seq = Math.max(this.seq, page.value.next)
    }
  }

  /** Those that wait; they are gone from here until they are added again. */
  take(): readonly TouchedSession[] {
    const taken = [...this.#sessions.values()]
    this.#sessions = new Map()
    return taken
  }

  forget(sessions: readonly SessionRef[]): void {
    for (const { source, id } of sessions) this.#sessions.delete(JSON.stringify([source, id]))
  }

  /** Remembers how far all of it was seen to. */
  async mark(): Promise<Result<unknown>> {
    if (this.#seq === undefined) return success(null)
    const firsts = [...this.#sessions.values()].map(({ since }) => since - 1)
    const seq = firsts.reduce((least, first) => Math.min(least, first), this.seq)
    const value = JSON.stringify({ by: this.#by, seq: Math.max(0, seq), sources: this.sources })
    if (value === this.#marked) return success(null)
    const marked = await this.#store.append([], { [MARK]: value } satisfies Marks)
    if (marked.ok) this.#marked = value
    return marked
  }

  async #begin(): Promise<Failure | undefined> {
    if (this.#seq !== undefined) return undefined
    const marks = await this.#store.marks([MARK])
    if (!marks.ok) return marks
    const known = markIn(marks.value[MARK])
    if (known?.by === this.#by) {
      this.#marked = marks.value[MARK] ?? ''
      this.#from(known.seq)
      for (const source of known.sources) this.#sources.add(source)
      return undefined
    }
    const head = await this.#store.head()
    if (!head.ok) return head
    const sessions = await this.#store.sessions({ limit: MOST_SESSIONS })
    if (!sessions.ok) return sessions
    this.#from(head.value.last)
    for (const { source, session_id } of sessions.value.value) this.add({ source, id: session_id }, 1, true)
    return undefined
  }

  #from(seq: number): void {
    this.#seq = Math.min(seq, this.#back)
    this.#back = Number.POSITIVE_INFINITY
  }
}

interface LogMark {
  readonly by: string
  readonly seq: number
  readonly sources: readonly string[]
}

function markIn(text: string | undefined): LogMark | undefined {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

interface Told {
  readonly source: string
  readonly session_id: string
  readonly event: string
}

/** Nothing of what was forgotten. */
function eventOf({ json }: EventRow): Told | undefined {
  try {
    const told = JSON.parse(json) as Partial<Told> | null
    return typeof told?.source === 'string' && typeof told.session_id === 'string'
      ? (told as Told)
      : undefined
  } catch {
    return undefined
  }
}
