import type { SharedDatabase } from '../database/shared-database.ts'
import type { HistoryStatements } from './history-statements.ts'

/** A session, and the newest row that was read of it. */
export interface ReadTo {
  readonly id: string
  readonly last: number
}

/** How many rows up to the newest that was read are still there, whatever their state. */
export async function rowsLeft(
  database: SharedDatabase<HistoryStatements>,
  sessions: readonly ReadTo[],
): Promise<ReadonlyMap<string, number>> {
  const left = new Map<string, number>()
  while (left.size < sessions.length) {
    const from = left.size
    const counted = await database.slice((statements, over) => {
      const counted: (readonly [string, number])[] = []
      for (const { id, last } of sessions.slice(from)) {
        const [count] = (statements?.left.get(id, last) ?? []) as unknown as readonly bigint[]
        counted.push([id, Number(count ?? 0)])
        if (over()) break
      }
      return counted
    })
    for (const [id, count] of counted) left.set(id, count)
  }
  return left
}
