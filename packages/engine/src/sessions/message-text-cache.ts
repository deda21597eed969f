import type { Hit } from '@panoptes/engine/store'

const MOST_CHARS = 4_000_000
/** Only this many characters of a text are used. */
export const MOST_A_TEXT = 65_536

type Of = Pick<Hit, 'source' | 'session_id' | 'id' | 'n'>

/**
 * Caches recently read message texts, so that a conversation that stays on its subject does not read them
 * again.
 */
export class MessageTexts {
  readonly #texts = new Map<string, string | null>()
  #chars = 0

  /** Returns undefined when the text is not cached, null when the message has no text. */
  get(of: Of): string | null | undefined {
    const key = messageKey(of)
    const cached = this.#texts.get(key)
    if (cached === undefined) return undefined
    this.#texts.delete(key)
    this.#texts.set(key, cached)
    return cached
  }

  set(of: Of, text: string | null): void {
    const stored = text === null ? null : text.slice(0, MOST_A_TEXT)
    this.#drop(messageKey(of))
    this.#texts.set(messageKey(of), stored)
    this.#chars += textSize(stored)
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
    const cached = this.#texts.get(key)
    if (cached === undefined) return
    this.#texts.delete(key)
    this.#chars -= textSize(cached)
  }
}

/** An entry without text also takes memory. */
const textSize = (text: string | null): number => 100 + (text?.length ?? 0)

const messageKey = ({ source, session_id, id, n }: Of): string => `${source}\n${session_id}\n${n}\n${id}`
