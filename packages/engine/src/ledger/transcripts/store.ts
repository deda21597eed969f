import { Refused } from '@panoptes/engine/threads'
import type { SessionRef, TranscriptChange } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
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
    `SELECT source, id, number, name, state, records, head, base, kept, cuts FROM transcript_tellings
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
  records: Number(row.records) + Number(row.kept),
  state: row.state as TellingState,
  base: row.base === null ? null : Number(row.base),
  kept: Number(row.kept),
  cuts: Number(row.cuts),
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
  const ended = tellings.filter(([, { stands }]) => stands !== undefined)
  // Whoever ends a session changes this first, and then what stood before: in another order two hosts would wait for each other.
  if (ended.some(([, { grown }]) => grown.length > 0))
    await run(
      `SELECT 1 FROM transcripts JOIN unnest($1::text[], $2::text[]) WITH ORDINALITY AS e (source, id, at) USING (source, id)
       ORDER BY at FOR UPDATE OF transcripts`,
      columnsOf(ended.map(([group]) => group)),
    )
  await storeTellings(connection, host, tellings)
  for (const [, telling] of tellings) await grow(connection, telling)
  if (ended.length > 0) await end(connection, host, ended)
  const rows = tellings.flatMap(([, telling]) => telling.rows)
  if (rows.length > 0) await copyInto(connection, 'transcript_records', rows)
  return { dropped, changed: new Set([...gone, ...ended.map(([{ source }]) => source)]) }
}

async function storeTellings({ run }: Connection, host: string, tellings: Tellings): Promise<void> {
  const changed = tellings.flatMap(([group, telling]) =>
    [...telling.changed].map((row) => ({ group, row, isNew: telling.isNew(row) })),
  )
  const known = changed.filter(({ isNew }) => !isNew).map(({ row }) => row)
  if (known.length > 0) {
    const found = await run(
      `UPDATE transcript_tellings AS t SET name = g.name, state = g.state, records = g.records, head = g.head,
         base = g.base, kept = g.kept, cuts = g.cuts, changed_at = ${NOW}
       FROM unnest(${COLUMNS}) AS g (number, name, state, records, head, base, kept, cuts) WHERE t.number = g.number`,
      columnsOfRows(known),
    )
    if (found < known.length) throw goneMeanwhile()
  }
  const made = changed.filter(({ isNew }) => isNew)
  if (made.length > 0)
    await run(
      `INSERT INTO transcript_tellings (number, name, state, records, head, base, kept, cuts, source, id, host, changed_at)
       SELECT *, $11, ${NOW} FROM unnest(${COLUMNS}, $9::text[], $10::text[])`,
      [
        ...columnsOfRows(made.map(({ row }) => row)),
        ...columnsOf(made.map(({ group }) => group)),
        storedName(host),
      ],
    )
}

const COLUMNS =
  '$1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[]'

const columnsOfRows = (rows: readonly ToldRow[]) => [
  rows.map(({ number }) => number),
  rows.map(({ name }) => name),
  rows.map(({ state }) => state),
  rows.map(({ records, kept }) => records - kept),
  rows.map(({ head }) => head),
  rows.map(({ base }) => base),
  rows.map(({ kept }) => kept),
  rows.map(({ cuts }) => cuts),
]

/** Puts what is the same where it belongs; what follows what stays takes the place of what followed before. */
async function grow({ run }: Connection, { copied, grown }: Telling): Promise<void> {
  for (const { into, at, of, from, count } of copied) {
    const found = await run(
      `INSERT INTO transcript_records (telling, number, message, size, doc)
       SELECT $1::bigint, number - $4::bigint + $2::bigint, message, size, doc FROM transcript_records
       WHERE telling = $3 AND number >= $4 AND number < $4 + $5::bigint`,
      [into, at, of, from, count],
    )
    if (found < count) throw goneMeanwhile()
  }
  for (const { from, into, kept } of grown) {
    await run('DELETE FROM transcript_records WHERE telling = $1 AND number >= $2', [into, kept])
    await run('UPDATE transcript_records SET telling = $2 WHERE telling = $1', [from, into])
  }
}

/** It was tidied away since it was looked up: looked up again, it is missed. */
const goneMeanwhile = (): Refused =>
  new Refused(failure('busy', 'A session was told anew while it was told. Try again in a moment.'))

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
