import type { DatabaseSync } from 'node:sqlite'
import type { StoredEvent } from '@panoptes/schema'
import { agentsProjection, foldEvent, projections } from '../projections/index.ts'
import { type RowObserver, RowSet, type Table } from './row-set.ts'

/** Maintains every projection in one table. */
export class Projector {
  readonly #sets: ReadonlyMap<string, RowSet>

  constructor(db: DatabaseSync, table: Table, agents?: RowObserver) {
    const observers = new Map([[agentsProjection.name, agents]])
    this.#sets = new Map(
      projections.map((each) => [each.name, new RowSet(db, table, each, observers.get(each.name))]),
    )
  }

  apply(event: StoredEvent): void {
    foldEvent(({ name }) => this.#sets.get(name) as RowSet, event)
  }

  /** Writes the changed rows. Call this inside the transaction that stores their events. */
  flush(): void {
    for (const rows of this.#sets.values()) rows.flush()
  }

  /** Clears the memory. After a rollback only the table is right. */
  reset(): void {
    for (const rows of this.#sets.values()) rows.reset()
  }
}
