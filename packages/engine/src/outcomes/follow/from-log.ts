import { Pace } from '@panoptes/engine/sources'
import type { EventFilter, EventPage, EventRow, EventStore } from '@panoptes/engine/store'
import type { Account, Agent, Failure, Result, SessionRef } from '@panoptes/schema'
import type { Counted, LogSession } from '../calls.ts'
import { countedLog } from './fingerprint.ts'
import type { Keeping } from './keep.ts'
import type { Reviewer } from './reviewer.ts'
import type { Touched, TouchedSession } from './touched.ts'

const AT_ONCE = 200
const KEPT_AT_ONCE = 32
const PAGE = 1_000
/** What is held of a session grows with its calls. */
const MOST_EVENTS = 1_000_000

export interface FromLogOptions {
  readonly store: EventStore
  readonly reviewer: Reviewer
  readonly touched: Touched
  readonly keeping: Keeping
  /** Has the thread know what is kept of a source. */
  readonly know: (source: string) => Promise<Failure | undefined>
}

/** Sees to sessions that got events: accounts of those that only the log knows, and of the others who is through with his work. */
export class FromLog {
  readonly #options: FromLogOptions
  readonly #pace = new Pace()
  /** When what was left alone for now is to be made, in milliseconds. */
  againMs: number | null = null
  /** What was left out. */
  problem: string | null = null

  constructor(options: FromLogOptions) {
    this.#options = options
  }

  async read(patient: boolean, signal: AbortSignal): Promise<Failure | undefined> {
    const { touched } = this.#options
    this.againMs = null
    this.problem = null
    for (;;) {
      const from = touched.seq
      const failed = await this.#readSome(patient, signal)
      if (failed || signal.aborted || !touched.isBehind || touched.seq === from) return failed
      if (patient) {
        this.againMs = 0
        return undefined
      }
    }
  }

  /** As many sessions as may wait at once. */
  async #readSome(patient: boolean, signal: AbortSignal): Promise<Failure | undefined> {
    const { touched } = this.#options
    const behind = await touched.catchUp()
    if (behind) return behind
    for (const source of touched.sources) {
      const failed = await this.#options.know(source)
      if (failed) return failed
    }
    const waiting = touched.take()
    for (let at = 0; at < waiting.length; at += AT_ONCE) {
      const some = waiting.slice(at, at + AT_ONCE)
      const failed = signal.aborted ? undefined : await this.#see(some, patient, signal)
      if (!failed && !signal.aborted) continue
      // Those that were not seen to, or not all of them, come again.
      for (const { ref, since, life } of waiting.slice(at)) touched.add(ref, since, life)
      return failed
    }
    const marked = await touched.mark()
    return marked.ok ? undefined : marked
  }

  async #see(
    some: readonly TouchedSession[],
    patient: boolean,
    signal: AbortSignal,
  ): Promise<Failure | undefined> {
    const { store, reviewer, touched, keeping } = this.#options
    const of = some.map(({ ref }) => ({ source: ref.source, session: ref.id }))
    const sums = await store.sessions({ of, limit: of.length })
    if (!sums.ok) return sums
    const marks = new Map(
      sums.value.value.map(({ source, session_id, events, last_at }) => [
        nameOf({ source, id: session_id }),
        { of: `${events}/${last_at}`, events },
      ]),
    )
    const sessions = some.map(({ ref }) => ({
      ...ref,
      ...(marks.get(nameOf(ref)) ?? { of: `${touched.seq}`, events: 0 }),
    }))
    const kinds = await reviewer.call('madeOf', [sessions])
    if (!kinds.ok) return kinds
    const again: SessionRef[] = []
    const made: Made[] = []
    for (const [index, session] of sessions.entries()) {
      const { life = false, since = 1 } = some[index] ?? {}
      const kind = kinds.value[index]
      if (kind === 'session' && life) again.push({ source: session.source, id: session.id })
      if (kind !== 'log') continue
      const wait = patient ? this.#pace.remainingMs(nameOf(session)) : 0
      if (wait > 0) {
        this.againMs = Math.min(this.againMs ?? wait, wait)
        touched.add({ source: session.source, id: session.id }, since, life)
        continue
      }
      const one = await this.#make(session, signal)
      if (one && 'code' in one) return one
      if (one) made.push(one)
      const failed = made.length < KEPT_AT_ONCE ? undefined : await this.#keep(made)
      if (failed) return failed
    }
    return (await this.#keep(made)) ?? keeping.judgeAgain(again)
  }

  /** Many together: each time is a commit, and a write of the journals. */
  async #keep(made: Made[]): Promise<Failure | undefined> {
    const some = made.splice(0)
    if (some.length === 0) return undefined
    return this.#options.keeping.keep(
      some.map(({ account }) => account),
      some.flatMap(({ live }) => live),
    )
  }

  async #make(session: LogSession, signal: AbortSignal): Promise<Failure | Made | undefined> {
    const { reviewer, keeping } = this.#options
    const began = performance.now()
    const live = await keeping.live([session])
    if (!live.ok) return live
    const filter = { source: session.source, session: session.id }
    let isFirst = true
    const tell: Tell = async (rows) => {
      const told = await reviewer.call('more', [session.source, rows.map(({ json }) => json), isFirst])
      isFirst = false
      return told
    }
    // Which names are one agent's has to be known before anything is counted for it.
    const linked = await this.#each({ ...filter, kinds: ['agent_link'] }, tell, signal)
    if ('code' in linked) return linked
    const read = await this.#each(filter, tell, signal)
    if ('code' in read) return read
    const { first, last, count } = read
    if (signal.aborted || first === undefined) return undefined
    if (count >= MOST_EVENTS)
      this.problem = `Only the first ${MOST_EVENTS} events of the session ${session.id} were counted.`
    const before = await this.#before(session, first, last, count)
    if (before && 'code' in before) return before
    const made = await reviewer.call('made', [session, [before?.first ?? first, last], before])
    if (!made.ok) return made
    this.#pace.took(nameOf(session), performance.now() - began)
    return isEmpty(made.value) ? undefined : { account: made.value, live: live.value }
  }

  async #each(filter: EventFilter, tell: Tell, signal: AbortSignal): Promise<Failure | Told> {
    let told: Told = { first: undefined, last: 0, count: 0 }
    for (let after: number | null = 0; after !== null && !signal.aborted; ) {
      const page: Result<EventPage> = await this.#options.store.read({ after, limit: PAGE }, filter)
      if (!page.ok) return page
      const { rows, next } = page.value
      const heard = await tell(rows)
      if (!heard.ok) return heard
      told = {
        first: told.first ?? rows[0]?.seq,
        last: rows.at(-1)?.seq ?? told.last,
        count: told.count + rows.length,
      }
      after = told.count < MOST_EVENTS ? next : null
    }
    return told
  }

  /** What was known of a session while the log had more of it: retention took the rest. */
  async #before(
    session: LogSession,
    first: number,
    last: number,
    count: number,
  ): Promise<Failure | (Counted & { readonly first: number }) | null> {
    const { store } = this.#options
    const head = await store.head()
    if (!head.ok) return head
    if (head.value.first <= 1) return null
    const before = await store.accounts.get(session)
    if (!before.ok) return before
    const account = before.value
    if (account?.from !== 'log') return null
    const [from, to] = countedLog(account.fingerprint) ?? [count < session.events ? 0 : first, last]
    return from < first ? { account, to, first: from } : null
  }
}

/** An account, and how its agents were before it was made. */
interface Made {
  readonly account: Account
  readonly live: readonly Agent[]
}

interface Told {
  readonly first: number | undefined
  readonly last: number
  readonly count: number
}

type Tell = (rows: readonly EventRow[]) => Promise<Result<unknown>>

const nameOf = ({ source, id }: SessionRef): string => JSON.stringify([source, id])

const isEmpty = ({ agents, claims, skills, cells }: Account): boolean =>
  agents.length + claims.length + skills.length + cells.length === 0
