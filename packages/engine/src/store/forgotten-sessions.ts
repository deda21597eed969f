import { createHmac } from 'node:crypto'
import type { SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Forgotten } from './forget-port.ts'
import type { InjectionRow, TemplateUses } from './template-uses-port.ts'
import type { Turns } from './turns-port.ts'

const MAX_CACHED = 10_000

/** Computes the hash that identifies a forgotten session. */
export const forgottenHash = (key: Uint8Array, source: string, session: string): string =>
  createHmac('sha256', key).update(`${source}\u001f${session}`).digest('base64')

/** Tells which sessions were forgotten. While none were, a lookup costs nothing. */
export class ForgottenSessions {
  #key: Uint8Array
  #hashes: Set<string>
  /** Caches lookups, because hashing takes longer than a lookup. */
  readonly #cache = new Map<string, boolean>()

  constructor({ key, hashes }: Forgotten) {
    this.#key = key
    this.#hashes = new Set(hashes)
  }

  /** Replaces the set with one that another process stored. */
  replace({ key, hashes }: Forgotten): void {
    this.#key = key
    this.#hashes = new Set(hashes)
    this.#cache.clear()
  }

  add({ source, id }: SessionRef): void {
    this.#hashes.add(forgottenHash(this.#key, source, id))
    this.#cache.clear()
  }

  has(source: string, session: string): boolean {
    if (this.#hashes.size === 0) return false
    const name = `${source}\u001f${session}`
    const cached = this.#cache.get(name)
    if (cached !== undefined) return cached
    if (this.#cache.size >= MAX_CACHED) this.#cache.clear()
    const found = this.#hashes.has(forgottenHash(this.#key, source, session))
    this.#cache.set(name, found)
    return found
  }

  /** Filters out forgotten sessions. It returns the same list when nothing was forgotten. */
  dropForgotten<E extends { readonly source: string; readonly session_id: string }>(
    events: readonly E[],
  ): readonly E[] {
    if (this.#hashes.size === 0) return events
    return events.filter(({ source, session_id }) => !this.has(source, session_id))
  }

  all(): Forgotten {
    return { key: this.#key, hashes: [...this.#hashes] }
  }
}

/** Skips template uses of forgotten sessions. */
export const filterTemplateUses = (
  templateUses: TemplateUses,
  forgotten: ForgottenSessions,
): TemplateUses => {
  const isForgotten = ({ source, session_id: id }: Pick<InjectionRow, 'source' | 'session_id'>) =>
    source !== null && id !== null && forgotten.has(source, id)
  return {
    ...templateUses,
    inject: async (row) => (isForgotten(row) ? success(false) : templateUses.inject(row)),
    note: async (row) => (isForgotten(row) ? success(null) : templateUses.note(row)),
  }
}

export const filterTurns = (turns: Turns, forgotten: ForgottenSessions): Turns => ({
  ...turns,
  keep: (newTurns) => turns.keep(newTurns.filter(({ session_id: id }) => !isForgottenTurn(forgotten, id))),
})

/** A turn belongs to the session it was asked in. Sessions of Hermes keep the id that they have there. */
export const isForgottenTurn = (forgotten: ForgottenSessions, session: string): boolean =>
  ['panoptes', 'hermes'].some((source) => forgotten.has(source, session))
