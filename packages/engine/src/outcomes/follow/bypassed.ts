import type { Bypass } from '@panoptes/engine/markers'
import type { EventStore } from '@panoptes/engine/store'
import type { Account, Failure } from '@panoptes/schema'

const MOST_KNOWN = 10_000
/** It is said when a session begins. */
const FIRST = 16

/** Leaves out of accounts what is not to be recorded: by the word of the daemon's environment, or of the session's, which the log knows. */
export class Bypassed {
  readonly #store: EventStore
  readonly #always: Bypass
  readonly #known = new Map<string, Bypass>()

  constructor(store: EventStore, always: Bypass) {
    this.#store = store
    this.#always = always
  }

  async allowed(account: Account): Promise<Account | Failure> {
    const own = await this.#of(account)
    if (!('claims' in own)) return own
    const claims = own.claims || this.#always.claims
    const skills = own.skills || this.#always.skills
    // What somebody sent as an event is meant to be kept.
    if (account.from === 'log' || (!claims && !skills)) return account
    const before = await this.#store.accounts.get({ source: account.source, id: account.session_id })
    if (!before.ok) return before
    // What was recorded before stays.
    return {
      ...account,
      ...(claims && { claims: before.value?.claims ?? [] }),
      ...(skills && { skills: before.value?.skills ?? [] }),
    }
  }

  /** An event came that says so. */
  forget({ source, id }: { readonly source: string; readonly id: string }): void {
    this.#known.delete(JSON.stringify([source, id]))
  }

  async #of({ source, session_id }: Account): Promise<Bypass | Failure> {
    const key = JSON.stringify([source, session_id])
    const known = this.#known.get(key)
    if (known) return known
    const filter = { source, session: session_id, kinds: ['bypass'] }
    const page = await this.#store.read({ after: 0, limit: FIRST }, filter)
    if (!page.ok) return page
    const said = page.value.rows.map(({ json }) => JSON.parse(json) as Partial<Bypass>)
    const found = {
      claims: said.some(({ claims }) => claims === true),
      skills: said.some(({ skills }) => skills === true),
    }
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(key, found)
    return found
  }
}
