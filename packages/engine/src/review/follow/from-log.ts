import type { EventRow, Ledger } from '@panoptes/engine/ledger'
import { Pace } from '@panoptes/engine/sources'
import type { Account, Failure, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { LogSession } from '../calls.ts'
import { carried } from './carried.ts'
import type { Keeping } from './keep.ts'
import type { Reviewer } from './reviewer.ts'
import type { Touched, TouchedSession } from './touched.ts'

const AT_ONCE = 200
const PAGE = 1_000
/** What is held of a session grows with its calls. */
const MOST_EVENTS = 1_000_000

export interface FromLogOptions {
  readonly ledger: Ledger
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
    const { ledger, reviewer, touched, keeping } = this.#options
    const of = some.map(({ ref }) => ({ source: ref.source, session: ref.id }))
    const sums = await ledger.sessions({ of, limit: of.length })
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
    for (const [index, session] of sessions.entries()) {
      const { life = false, since = 1 } = some[index] ?? {}
      const kind = kinds.value[index]
      if (kind === 'session' && life) again.push({ source: session.source, id: session.id })
      if (kind !== 'log') continue
      const wait = patient ? this.#pace.waitOf(nameOf(session)) : 0
      if (wait > 0) {
        this.againMs = Math.min(this.againMs ?? wait, wait)
        touched.add({ source: session.source, id: session.id }, since, life)
        continue
      }
      const failed = await this.#make(session, signal)
      if (failed) return failed
    }
    return keeping.judgeAgain(again)
  }

  async #make(session: LogSession, signal: AbortSignal): Promise<Failure | undefined> {
    const { ledger, reviewer, keeping } = this.#options
    const began = performance.now()
    const live = await keeping.live([session])
    if (!live.ok) return live
    const filter = { source: session.source, session: session.id }
    let isFirst = true
    const tell = async (rows: readonly { readonly json: string }[]) => {
      const told = await reviewer.call('more', [session.source, rows.map(({ json }) => json), isFirst])
      isFirst = false
      return told
    }
    // Which names are one agent's has to be known before anything is counted for it.
    const links = await ledger.read({ after: 0, limit: PAGE }, { ...filter, kinds: ['agent_link'] })
    if (!links.ok) return links
    const linked = await tell(links.value.rows)
    if (!linked.ok) return linked
    let count = 0
    let since: number | undefined
    for (let after: number | null = 0; after !== null; ) {
      if (signal.aborted) return undefined
      const page = await ledger.read({ after, limit: PAGE }, filter)
      if (!page.ok) return page
      since ??= timeOf(page.value.rows[0])
      const told = await tell(page.value.rows)
      if (!told.ok) return told
      count += page.value.rows.length
      after = count < MOST_EVENTS ? page.value.next : null
    }
    if (count >= MOST_EVENTS)
      this.problem = `Only the first ${MOST_EVENTS} events of the session ${session.id} were counted.`
    const made = await reviewer.call('made', [session])
    if (!made.ok) return made
    this.#pace.took(nameOf(session), performance.now() - began)
    // What retention took of it stays as it was known.
    const before = count < session.events ? await ledger.accounts.get(session) : success(null)
    if (!before.ok) return before
    const account =
      before.value?.from === 'log' && since !== undefined
        ? carried(before.value, made.value, since)
        : made.value
    return isEmpty(account) ? undefined : keeping.keep([account], live.value)
  }
}

const timeOf = (row: EventRow | undefined): number | undefined =>
  row && (JSON.parse(row.json) as { readonly ts: number }).ts

const nameOf = ({ source, id }: SessionRef): string => JSON.stringify([source, id])

const isEmpty = ({ agents, claims, skills, cells }: Account): boolean =>
  agents.length + claims.length + skills.length + cells.length === 0
