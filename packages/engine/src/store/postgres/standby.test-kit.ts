import { Client } from 'pg'

/** The state of a standby that lacks everything stored from now on. */
export interface Standby {
  readonly last: number
  /** Sets the store back to the standby's state. Events that `meanwhile` appends come directly after it. */
  readonly takeOver: (meanwhile?: () => Promise<void>) => Promise<void>
  readonly close: () => Promise<void>
}

export async function standbyOf(url: string, schema: string): Promise<Standby> {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query(`SET search_path = ${schema}`)
  const projectionRows = JSON.stringify((await client.query('SELECT * FROM projection_rows')).rows)
  const { rows } = await client.query('SELECT last, last / span AS partition FROM head')
  const [last, partition] = [Number(rows[0].last), Number(rows[0].partition)]
  const later = async () => {
    const { rows } = await client.query(
      `SELECT inhrelid::regclass AS name FROM pg_inherits WHERE inhparent = 'events'::regclass`,
    )
    return rows.map(({ name }) => String(name)).filter((name) => Number(name.split('_p').at(-1)) > partition)
  }
  return {
    last,
    takeOver: async (meanwhile) => {
      await client.query('BEGIN')
      await client.query('SELECT FROM head FOR UPDATE')
      const waiting = meanwhile?.()
      await client.query('DELETE FROM event_keys WHERE seq > $1', [last])
      await client.query('DELETE FROM checkpoints WHERE seq > $1', [last])
      await client.query('DELETE FROM events WHERE seq > $1', [last])
      for (const name of await later()) await client.query(`DROP TABLE ${name}`)
      await client.query('TRUNCATE projection_rows')
      await client.query(
        'INSERT INTO projection_rows SELECT * FROM json_populate_recordset(NULL::projection_rows, $1::json)',
        [projectionRows],
      )
      await client.query('UPDATE head SET last = $1', [last])
      await client.query('COMMIT')
      await waiting
    },
    close: () => client.end(),
  }
}
