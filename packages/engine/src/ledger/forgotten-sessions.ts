import { createHmac } from 'node:crypto'
import type { SessionRef } from '@panoptes/schema'
import type { Forgotten } from './forget-port.ts'

const MOST_KNOWN = 10_000

/** What a session is known by when it is forgotten. */
export const forgottenHash = (key: Uint8Array, source: string, session: string): string =>
  createHmac('sha256', key).update(`${source}\u001f${session}`).digest('base64')

/** Says which sessions were forgotten. While there are none it costs nothing to ask. */
export class ForgottenSessions {
  #key: Uint8Array
  #hashes: Set<string>
  /** Sessions that were asked for before: to hash takes longer than to look. */
  readonly #known = new Map<string, boolean>()

  constructor({ key, hashes }: Forgotten) {
    this.#key = key
    this.#hashes = new Set(hashes)
  }

  /** As another process left it. */
  replace({ key, hashes }: Forgotten): void {
    this.#key = key
    this.#hashes = new Set(hashes)
    this.#known.clear()
  }

  add({ source, id }: SessionRef): void {
    this.#hashes.add(forgottenHash(this.#key, source, id))
    this.#known.clear()
  }

  has(source: string, session: string): boolean {
    if (this.#hashes.size === 0) return false
    const name = `${source}\u001f${session}`
    const known = this.#known.get(name)
    if (known !== undefined) return known
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    const found = this.#hashes.has(forgottenHash(this.#key, source, session))
    this.#known.set(name, found)
    return found
  }

  /** What is of others; the same list where nobody was forgotten. */
  without<E extends { readonly source: string; readonly session_id: string }>(
    events: readonly E[],
  ): readonly E[] {
    if (this.#hashes.size === 0) return events
    return events.filter(({ source, session_id }) => !this.has(source, session_id))
  }

  all(): Forgotten {
    return { key: this.#key, hashes: [...this.#hashes] }
  }
}
