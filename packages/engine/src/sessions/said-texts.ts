import type { Hit } from '@panoptes/engine/ledger'

const MOST_CHARS = 4_000_000
/** Characters of one that are looked at. */
export const MOST_A_TEXT = 65_536

type Of = Pick<Hit, 'source' | 'session_id' | 'id' | 'n'>

/** Texts of messages that were read lately, so that a conversation that stays with its subject does not read them again. */
export class SaidTexts {
  readonly #texts = new Map<string, string | null>()
  #chars = 0

  /** Undefined where it is not known, null where nothing was said. */
  get(of: Of): string | null | undefined {
    const key = keyOf(of)
    const known = this.#texts.get(key)
    if (known === undefined) return undefined
    this.#texts.delete(key)
    this.#texts.set(key, known)
    return known
  }

  set(of: Of, text: string | null): void {
    const kept = text === null ? null : text.slice(0, MOST_A_TEXT)
    this.#drop(keyOf(of))
    this.#texts.set(keyOf(of), kept)
    this.#chars += sizeOf(kept)
    for (const oldest of this.#texts.keys()) {
      if (this.#chars <= MOST_CHARS) break
      this.#drop(oldest)
    }
  }

  clear(): void {
    this.#texts.clear()
    this.#chars = 0
  }

  #drop(key: string): void {
    const known = this.#texts.get(key)
    if (known === undefined) return
    this.#texts.delete(key)
    this.#chars -= sizeOf(known)
  }
}

/** What is not there takes something too. */
const sizeOf = (text: string | null): number => 100 + (text?.length ?? 0)

const keyOf = ({ source, session_id, id, n }: Of): string => `${source}\n${session_id}\n${n}\n${id}`
