import type { DatabaseSync } from 'node:sqlite'
import type { StoredEvent } from '@panoptes/schema'
import type { Projection } from '../projections/index.ts'
import { RowSet, type Table } from './row-set.ts'

/** Keeps every projection in one table. */
export class Projector {
  readonly #kept: readonly { readonly projection: Projection<object>; readonly rows: RowSet }[]

  constructor(db: DatabaseSync, table: Table, projections: readonly Projection<object>[]) {
    this.#kept = projections.map((projection) => ({ projection, rows: new RowSet(db, table, projection) }))
  }

  apply(event: StoredEvent): void {
    for (const { projection, rows } of this.#kept) projection.apply(rows, event)
  }

  /** Writes the changed rows; call it inside the transaction that holds their events. */
  flush(): void {
    for (const { rows } of this.#kept) rows.flush()
  }

  /** Forgets everything in memory: after a rolled-back transaction the table alone is right. */
  reset(): void {
    for (const { rows } of this.#kept) rows.reset()
  }
}
