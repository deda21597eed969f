import { type Connection, type Database, type Row, type Value, withoutNul } from '../../postgres/database.ts'

/**
 * Runs several queries against the same state. Each query also returns `turn` of `index_about` in its first
 * row. Named queries are planned once.
 */
export interface Asking {
  readonly rows: (name: string | undefined, sql: string, values: readonly Value[]) => Promise<readonly Row[]>
}

/** Thrown when somebody wrote between two queries. */
class Moved extends Error {}

const TRIES = 3

/**
 * Results are consistent if nobody wrote between the queries. That is almost always so and cheaper to detect
 * than a transaction, which is the last resort.
 */
export async function runConsistently<T>(
  database: Database,
  work: (asking: Asking) => Promise<T>,
): Promise<T> {
  for (let tries = 0; tries < TRIES; tries += 1)
    try {
      return await database.withConnection(({ client }) => work(createAsking(client)))
    } catch (error) {
      if (!(error instanceof Moved)) throw error
    }
  return database.snapshot(({ client }) => work(createAsking(client)))
}

function createAsking(client: Connection['client']): Asking {
  let turn: unknown
  return {
    rows: async (name, text, values) => {
      const stored = values.map((each) => (typeof each === 'string' ? withoutNul(each) : each))
      const { rows } = await client.query<Row>({
        ...(name === undefined ? {} : { name }),
        text,
        values: stored,
      })
      const [first] = rows
      turn ??= first?.turn
      if (first?.turn !== turn) throw new Moved()
      return rows
    },
  }
}
