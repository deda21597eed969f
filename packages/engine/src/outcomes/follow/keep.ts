import type { EventStore } from '@panoptes/engine/store'
import type { Account, Agent, Failure, Result, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { EndedAgent } from '../calls.ts'
import type { Journals } from '../journals/journals.ts'
import type { Bypassed } from './bypassed.ts'
import { withOpen } from './fingerprint.ts'
import { judgeFinished } from './finished.ts'
import type { OpenSessions } from './open-sessions.ts'
import { unmeasured } from './told-ends.ts'

const MOST_AGENTS = 100_000
const AT_ONCE = 32

export interface KeepOptions {
  readonly store: EventStore
  readonly journals: Journals
  readonly open: OpenSessions
  readonly bypassed: Bypassed
  readonly now: () => number
  /** Somebody says who is lost. */
  readonly judged: () => boolean
}

/** Says who is through with his work, keeps accounts, and has their lines written. */
export class Keeping {
  readonly #options: KeepOptions
  /** How many accounts were kept. */
  kept = 0
  /** Whose session has to be read again, because they ended and it does not say so. */
  ended: EndedAgent[] = []

  constructor(options: KeepOptions) {
    this.#options = options
  }

  /** `live` is how the agents were before the accounts were made: an end that came meanwhile is not in them. */
  async keep(accounts: readonly Account[], live?: readonly Agent[]): Promise<Failure | undefined> {
    const judged = await this.#judged(
      accounts.filter((account) => !this.#isForgotten(account)),
      live,
    )
    if ('code' in judged) return judged
    const whole: Account[] = []
    for (const account of judged) {
      const allowed = await this.#options.bypassed.allowed(account)
      if (!('agents' in allowed)) return allowed
      whole.push(allowed)
    }
    return this.#put(whole)
  }

  /** Looks again at sessions that did not change, and in which somebody was, or is again, at work. */
  async judgeAgain(sessions: readonly SessionRef[]): Promise<Failure | undefined> {
    const { store } = this.#options
    for (let at = 0; at < sessions.length; at += AT_ONCE) {
      const before: Account[] = []
      for (const session of sessions.slice(at, at + AT_ONCE)) {
        const account = await store.accounts.get(session)
        if (!account.ok) return account
        if (account.value && !this.#isForgotten(account.value)) before.push(account.value)
        else this.#options.open.set(session, null)
      }
      const judged = await this.#judged(before)
      if ('code' in judged) return judged
      const changed = judged.filter(
        ({ fingerprint, agents }, index) =>
          fingerprint !== before[index]?.fingerprint ||
          agents.some(
            ({ finished, outcome }, n) =>
              finished !== before[index]?.agents[n]?.finished ||
              outcome !== before[index]?.agents[n]?.outcome,
          ),
      )
      const failed = await this.#put(changed)
      if (failed) return failed
    }
    return undefined
  }

  /** How the agents of sessions are by the log. */
  async live(sessions: readonly SessionRef[]): Promise<Result<readonly Agent[]>> {
    const of = sessions.map(({ source, id }) => ({ source, session: id }))
    const live = await this.#options.store.agents({ of, limit: MOST_AGENTS })
    return live.ok ? success(live.value.value) : live
  }

  async #judged(
    accounts: readonly Account[],
    before?: readonly Agent[],
  ): Promise<Failure | readonly Account[]> {
    const { open, now, judged } = this.#options
    if (accounts.length === 0) return []
    const refs = accounts.map(({ source, session_id }) => ({ source, id: session_id }))
    const live = before ? success(before) : await this.live(refs)
    if (!live.ok) return live
    const agents = Map.groupBy(live.value, ({ source, session_id }) => JSON.stringify([source, session_id]))
    return accounts.map((account) => {
      const { source, session_id } = account
      const own = agents.get(JSON.stringify([source, session_id])) ?? []
      const { account: said, due } = judgeFinished(account, { live: own, now: now(), judged: judged() })
      open.set({ source, id: session_id }, due)
      this.ended.push(...unmeasured(account, said, now()))
      return withOpen(said)
    })
  }

  async #put(accounts: readonly Account[]): Promise<Failure | undefined> {
    if (accounts.length === 0) return undefined
    const { store, journals } = this.#options
    const put = await store.accounts.put(accounts, await journals.owing())
    if (!put.ok) return put
    this.kept += accounts.length
    await journals.write(accounts)
    return undefined
  }

  #isForgotten({ source, session_id }: Account): boolean {
    return this.#options.store.forgetting.has({ source, id: session_id })
  }
}
