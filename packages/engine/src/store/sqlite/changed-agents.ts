import type { ChangedAgent } from '../port.ts'
import { type AgentsRow, isAgentRow, toAgentText } from '../projections/index.ts'

/** One hand-over has at most about this much text. Agents beyond it are named, and their readers read them. */
const MOST_CHARACTERS = 1_048_576

interface Change {
  readonly row: AgentsRow
  /** It is null if the row was removed, and undefined if there was too much text to keep. */
  readonly doc: string | null | undefined
}

/**
 * Collects the agents that commits change. The writer has their new rows as text anyway, so the stream need
 * not parse the events and read the agents again.
 */
export class ChangedAgents {
  readonly #uncommitted = new Map<string, Change>()
  readonly #committed = new Map<string, Change>()
  #characters = 0
  #isWatched = false

  /** While nobody watches, nothing is collected. */
  watch(isWatched: boolean): void {
    this.#isWatched = isWatched
    this.#committed.clear()
  }

  wrote(key: string, row: object, doc: string): void {
    if (!this.#isWatched) return
    this.#characters += doc.length
    const isKept = this.#characters <= MOST_CHARACTERS
    this.#uncommitted.set(key, { row: row as AgentsRow, doc: isKept ? doc : undefined })
  }

  removed(key: string, row: object): void {
    if (!this.#isWatched) return
    this.#uncommitted.set(key, { row: row as AgentsRow, doc: null })
  }

  committed(): void {
    for (const [key, change] of this.#uncommitted) this.#committed.set(key, change)
    this.#uncommitted.clear()
  }

  rolledBack(): void {
    this.#uncommitted.clear()
  }

  /** Returns what was committed since the last call. */
  take(): readonly ChangedAgent[] {
    const changes = [...this.#committed.values()]
    this.#committed.clear()
    this.#characters = 0
    return changes.flatMap(({ row, doc }) => {
      if (!isAgentRow(row)) return []
      const { source, session_id, id } = row
      if (doc === undefined) return [{ source, session_id, id }]
      return [{ source, session_id, id, json: doc === null ? null : toAgentText(doc) }]
    })
  }
}
