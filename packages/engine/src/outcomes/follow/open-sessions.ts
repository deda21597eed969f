import type { SessionRef } from '@panoptes/schema'

/** Sessions in which somebody is at work, and when he would be taken for gone. */
export class OpenSessions {
  readonly #due = new Map<string, { readonly ref: SessionRef; readonly at: number }>()

  set(ref: SessionRef, due: number | null): void {
    const key = JSON.stringify([ref.source, ref.id])
    if (due === null) this.#due.delete(key)
    else this.#due.set(key, { ref, at: due })
  }

  due(now: number): readonly SessionRef[] {
    return [...this.#due.values()].filter(({ at }) => at <= now).map(({ ref }) => ref)
  }

  /** When the next one is due. */
  next(): number | null {
    let first: number | null = null
    for (const { at } of this.#due.values()) first = first === null ? at : Math.min(first, at)
    return first
  }
}
