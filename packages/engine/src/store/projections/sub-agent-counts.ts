import { countedState } from '@panoptes/schema/reading'
import { isAgentRow, MAIN, type Row } from './agents/row.ts'
import type { Rows } from './projection.ts'

/** Counts the sub-agents, and the finished ones by how they ended. */
export interface SubAgentCounts {
  agents_spawned: number
  agents_done: number
  agents_failed: number
  agents_stopped: number
}

export const createSubAgentCounts = (): SubAgentCounts => ({
  agents_spawned: 0,
  agents_done: 0,
  agents_failed: 0,
  agents_stopped: 0,
})

const COUNT = { done: 'agents_done', failed: 'agents_failed', stopped: 'agents_stopped' } as const

/** The state under which one row is counted, or null for a row that is no sub-agent. */
type Counted = ReturnType<typeof countedState> | null

/**
 * Wraps the rows of the agents and tracks how one event changes their counts. The end of a session ends its
 * agents without events of their own, so only the rows show each agent's state.
 */
export class CountedRows implements Rows<Row> {
  readonly #rows: Rows<Row>
  readonly #counts: SubAgentCounts
  /** The states before the event, because rows are changed in place before they are set. */
  readonly #before = new Map<string, Counted>()

  constructor(rows: Rows<Row>, counts: SubAgentCounts) {
    this.#rows = rows
    this.#counts = counts
  }

  get(key: string): Row | undefined {
    const row = this.#rows.get(key)
    this.#saw(key, row)
    return row
  }

  set(key: string, row: Row): void {
    if (!this.#before.has(key)) this.#saw(key, this.#rows.get(key))
    this.#count(key, findCountedState(row))
    this.#rows.set(key, row)
  }

  remove(key: string): void {
    if (!this.#before.has(key)) this.#saw(key, this.#rows.get(key))
    this.#count(key, null)
    this.#rows.remove(key)
  }

  group(name: string): readonly (readonly [string, Row])[] {
    return this.#sawAll(this.#rows.group(name))
  }

  alive(name: string): readonly (readonly [string, Row])[] {
    return this.#sawAll(this.#rows.alive(name))
  }

  #sawAll(rows: readonly (readonly [string, Row])[]): readonly (readonly [string, Row])[] {
    for (const [key, row] of rows) this.#saw(key, row)
    return rows
  }

  #saw(key: string, row: Row | undefined): void {
    if (!this.#before.has(key)) this.#before.set(key, findCountedState(row))
  }

  #count(key: string, now: Counted): void {
    const before = this.#before.get(key) ?? null
    if (before === now) return
    this.#before.set(key, now)
    this.#add(before, -1)
    this.#add(now, 1)
  }

  #add(counted: Counted, by: 1 | -1): void {
    if (counted === null) return
    this.#counts.agents_spawned += by
    if (counted === 'done' || counted === 'failed' || counted === 'stopped')
      this.#counts[COUNT[counted]] += by
  }
}

const findCountedState = (row: Row | undefined): Counted =>
  isAgentRow(row) && row.id !== MAIN ? countedState(row) : null
