import { type Connection, type Database, type Row, type Value, withoutNul } from '../../postgres/database.ts'

/** Asks several questions of one moment. Each also tells `turn`, of `index_about`, in its first row; what has a name is planned once. */
export interface Asking {
  readonly rows: (name: string | undefined, sql: string, values: readonly Value[]) => Promise<readonly Row[]>
}

/** Something was written in between. */
class Moved extends Error {}

const TRIES = 3

/**
 * What is seen belongs together if nothing was written between the questions. That is nearly always so, and costs less to notice than
 * a transaction, which comes last.
 */
export async function ofOneMoment<T>(database: Database, work: (asking: Asking) => Promise<T>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries += 1)
    try {
      return await database.connected(({ client }) => work(askingOf(client)))
    } catch (error) {
      if (!(error instanceof Moved)) throw error
    }
  return database.snapshot(({ client }) => work(askingOf(client)))
}

function askingOf(client: Connection['client']): Asking {
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
