import type { SessionRef, TranscriptChange } from '@panoptes/schema'
import { copyInto } from '../postgres/copy.ts'
import type { Connection } from '../postgres/database.ts'
import { storedName } from './tables.ts'
import { Telling, type TellingState, type ToldRow } from './telling.ts'

/** By the clock of the database: those of several hubs differ. */
export const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

export interface Group extends SessionRef {
  readonly changes: readonly TranscriptChange[]
}

type Tellings = readonly (readonly [group: Group, telling: Telling])[]

/** What a host told of these sessions so far. */
export async function tellingsOf(
  { rows }: Connection,
  host: string,
  groups: readonly Group[],
): Promise<Tellings> {
  const found = await rows(
    `SELECT source, id, number, name, state, records, head FROM transcript_tellings
     WHERE host = $3 AND (source, id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    [...columnsOf(groups), storedName(host)],
  )
  const known = Map.groupBy(found, ({ source, id }) => JSON.stringify([source, id]))
  const begins = groups.flatMap(({ changes }) => changes.filter(({ type }) => type === 'begin')).length
  const numbers = await rows(
    `SELECT nextval(pg_get_serial_sequence('transcript_tellings', 'number')) AS number FROM generate_series(1, $1)`,
    [begins],
  )
  const free = numbers.values()
  const next = () => Number(free.next().value?.number)
  return groups.map((group) => {
    const own = known.get(JSON.stringify([group.source, storedName(group.id)])) ?? []
    return [group, new Telling({ ...group, host }, own.map(toldRow), next)]
  })
}

const toldRow = (row: Readonly<Record<string, unknown>>): ToldRow => ({
  number: Number(row.number),
  name: String(row.name),
  head: String(row.head),
  records: Number(row.records),
  state: row.state as TellingState,
})

/** Writes down what was told, a statement for all sessions at a time. */
export async function store(
  connection: Connection,
  host: string,
  tellings: Tellings,
): Promise<{ readonly dropped: number; readonly changed: ReadonlySet<string> }> {
  const { run } = connection
  const removed = tellings.flatMap(([, telling]) => telling.removed)
  if (removed.length > 0) {
    await run('DELETE FROM transcript_records WHERE telling = ANY($1)', [removed])
    await run('DELETE FROM transcript_tellings WHERE number = ANY($1)', [removed])
  }
  const { dropped, gone } = await drop(
    connection,
    host,
    tellings.filter(([, { isDropped }]) => isDropped),
  )
  await storeTellings(connection, host, tellings)
  const ended = tellings.filter(([, { stands }]) => stands !== undefined)
  if (ended.length > 0) await end(connection, host, ended)
  const rows = tellings.flatMap(([, telling]) => telling.rows)
  if (rows.length > 0) await copyInto(connection, 'transcript_records', rows)
  return { dropped, changed: new Set([...gone, ...ended.map(([{ source }]) => source)]) }
}

async function storeTellings({ run }: Connection, host: string, tellings: Tellings): Promise<void> {
  const changed = tellings.flatMap(([group, telling]) =>
    [...telling.changed].map((row) => ({ group, row, isNew: telling.isNew(row) })),
  )
  const made = changed.filter(({ isNew }) => isNew)
  if (made.length > 0)
    await run(
      `INSERT INTO transcript_tellings (source, id, host, number, name, state, records, head, changed_at)
       SELECT source, id, $3, number, name, state, records, head, ${NOW}
       FROM unnest($1::text[], $2::text[], $4::bigint[], $5::text[], $6::text[], $7::bigint[], $8::text[])
         AS made (source, id, number, name, state, records, head)`,
      [
        ...columnsOf(made.map(({ group }) => group)),
        storedName(host),
        made.map(({ row }) => row.number),
        made.map(({ row }) => row.name),
        made.map(({ row }) => row.state),
        made.map(({ row }) => row.records),
        made.map(({ row }) => row.head),
      ],
    )
  const grown = changed.filter(({ isNew }) => !isNew).map(({ row }) => row)
  if (grown.length > 0)
    await run(
      `UPDATE transcript_tellings AS t SET state = g.state, records = g.records, changed_at = ${NOW}
       FROM unnest($1::bigint[], $2::text[], $3::bigint[]) AS g (number, state, records) WHERE t.number = g.number`,
      [
        grown.map(({ number }) => number),
        grown.map(({ state }) => state),
        grown.map(({ records }) => records),
      ],
    )
}

async function end({ run }: Connection, host: string, ended: Tellings): Promise<void> {
  const columns = columnsOf(ended.map(([group]) => group))
  const column = <T>(of: (stands: NonNullable<Telling['stands']>) => T): readonly T[] =>
    ended.flatMap(([, { stands }]) => (stands ? [of(stands)] : []))
  const numbers = column(({ telling }) => telling)
  await run(
    `INSERT INTO transcripts (source, id, telling, last_at, head, session)
     SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[])
     ON CONFLICT (source, id) DO UPDATE
     SET telling = excluded.telling, last_at = excluded.last_at, head = excluded.head, session = excluded.session`,
    [
      ...columns,
      numbers,
      column(({ last_at }) => last_at),
      column(({ head }) => head),
      column(({ session }) => session),
    ],
  )
  // Only now is it plain which ones stood before: two hosts may end at once.
  await run(
    `UPDATE transcript_tellings AS t SET state = 'over', changed_at = ${NOW}
     FROM unnest($1::text[], $2::text[], $3::bigint[]) AS e (source, id, number)
     WHERE t.source = e.source AND t.id = e.id AND t.state = 'stands' AND t.number <> e.number`,
    [...columns, numbers],
  )
  await run(
    `INSERT INTO transcripts_told (source, id, head, host)
     SELECT e.*, $4 FROM unnest($1::text[], $2::text[], $3::text[]) AS e
     ON CONFLICT (source, host, id) DO UPDATE SET head = excluded.head`,
    [...columns, column(({ head }) => head), storedName(host)],
  )
}

/** Where another host has told it since, that stands; where not, whoever else has it tells it again. */
async function drop(
  { rows, run }: Connection,
  host: string,
  tellings: Tellings,
): Promise<{ readonly dropped: number; readonly gone: readonly string[] }> {
  if (tellings.length === 0) return { dropped: 0, gone: [] }
  const columns = columnsOf(tellings.map(([group]) => group))
  const each = '(SELECT * FROM unnest($1::text[], $2::text[]))'
  const dropped = await run(`DELETE FROM transcripts_told WHERE (source, id) IN ${each} AND host = $3`, [
    ...columns,
    storedName(host),
  ])
  const gone = await rows(
    `DELETE FROM transcripts AS t USING transcript_tellings AS k
     WHERE (t.source, t.id) IN ${each} AND k.number = t.telling AND k.host = $3 RETURNING t.source, t.id`,
    [...columns, storedName(host)],
  )
  if (gone.length > 0) {
    const of = [gone.map(({ source }) => String(source)), gone.map(({ id }) => String(id))]
    await run(
      `UPDATE transcript_tellings SET state = 'over', changed_at = ${NOW} WHERE (source, id) IN ${each} AND state = 'stands'`,
      of,
    )
    await run(`DELETE FROM transcripts_told WHERE (source, id) IN ${each}`, of)
  }
  return { dropped, gone: gone.map(({ source }) => String(source)) }
}

const columnsOf = (sessions: readonly SessionRef[]): readonly [readonly string[], readonly string[]] => [
  sessions.map(({ source }) => source),
  sessions.map(({ id }) => storedName(id)),
]
