import { Refused } from '@panoptes/engine/worker-rpc'
import type { SessionRef, TranscriptChange } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'
import { copyInto } from '../postgres/copy.ts'
import type { Connection } from '../postgres/database.ts'
import { compareCopies, findFreeNames, nameTaken, readNames, sessionColumns } from './copies.ts'
import { toStoredName } from './tables.ts'
import { Telling, type TellingRow, type TellingState } from './upload-state.ts'

/** Uses the database's clock, because the clocks of several hubs differ. */
export const NOW = '(extract(epoch FROM clock_timestamp()) * 1000)::bigint'

export interface Group extends SessionRef {
  readonly changes: readonly TranscriptChange[]
}

type Tellings = readonly (readonly [group: Group, telling: Telling])[]

/** Reads what a host has uploaded of these sessions so far. */
export async function readTellings(
  { rows }: Connection,
  host: string,
  groups: readonly Group[],
): Promise<Tellings> {
  const found = await rows(
    `SELECT source, id, number, name, state, records, head, base, kept, cuts FROM transcript_tellings
     WHERE host = $3 AND (source, id) IN (SELECT * FROM unnest($1::text[], $2::text[]))`,
    [...sessionColumns(groups), toStoredName(host)],
  )
  const rowsByGroup = Map.groupBy(found, ({ source, id }) => JSON.stringify([source, id]))
  const begins = groups.flatMap(({ changes }) => changes.filter(({ type }) => type === 'begin')).length
  const numbers = await rows(
    `SELECT nextval(pg_get_serial_sequence('transcript_tellings', 'number')) AS number FROM generate_series(1, $1)`,
    [begins],
  )
  const free = numbers.values()
  const next = () => Number(free.next().value?.number)
  return groups.map((group) => {
    const own = rowsByGroup.get(JSON.stringify([group.source, toStoredName(group.id)])) ?? []
    return [group, new Telling({ ...group, host }, own.map(toTellingRow), next)]
  })
}

const toTellingRow = (row: Readonly<Record<string, unknown>>): TellingRow => ({
  number: Number(row.number),
  name: String(row.name),
  head: String(row.head),
  records: Number(row.records) + Number(row.kept),
  state: row.state as TellingState,
  base: row.base === null ? null : Number(row.base),
  reused: Number(row.kept),
  cuts: Number(row.cuts),
})

interface Stored {
  readonly dropped: number
  /** Newly uploaded sessions whose id another computer already uses, by the names they get here. */
  readonly copies: readonly SessionRef[]
  /** The sources whose sessions changed. */
  readonly changed: ReadonlySet<string>
}

/** Stores uploads with one statement for all sessions at a time. */
export async function store(connection: Connection, host: string, tellings: Tellings): Promise<Stored> {
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
  await storeTellings(connection, host, tellings)
  for (const [, telling] of tellings) await grow(connection, telling)
  const copies = ended.length > 0 ? await end(connection, host, ended) : []
  const rows = tellings.flatMap(([, telling]) => telling.rows)
  if (rows.length > 0) await copyInto(connection, 'transcript_records', rows)
  const changed = [...gone, ...ended.map(([group]) => group)]
  if (changed.length > 0) await compareCopies(connection, changed)
  return { dropped, copies, changed: new Set(changed.map(({ source }) => source)) }
}

async function storeTellings({ run }: Connection, host: string, tellings: Tellings): Promise<void> {
  const changed = tellings.flatMap(([group, telling]) =>
    [...telling.changed].map((row) => ({ group, row, isNew: telling.isNew(row) })),
  )
  const existing = changed.filter(({ isNew }) => !isNew).map(({ row }) => row)
  if (existing.length > 0) {
    const found = await run(
      `UPDATE transcript_tellings AS t SET name = g.name, state = g.state, records = g.records, head = g.head,
         base = g.base, kept = g.kept, cuts = g.cuts, changed_at = ${NOW}
       FROM unnest(${COLUMNS}) AS g (number, name, state, records, head, base, kept, cuts) WHERE t.number = g.number`,
      columnsOfRows(existing),
    )
    if (found < existing.length) throw replacedFailure()
  }
  const made = changed.filter(({ isNew }) => isNew)
  if (made.length > 0)
    await run(
      `INSERT INTO transcript_tellings (number, name, state, records, head, base, kept, cuts, source, id, host, changed_at)
       SELECT *, $11, ${NOW} FROM unnest(${COLUMNS}, $9::text[], $10::text[])`,
      [
        ...columnsOfRows(made.map(({ row }) => row)),
        ...sessionColumns(made.map(({ group }) => group)),
        toStoredName(host),
      ],
    )
}

const COLUMNS =
  '$1::bigint[], $2::text[], $3::text[], $4::bigint[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[]'

const columnsOfRows = (rows: readonly TellingRow[]) => [
  rows.map(({ number }) => number),
  rows.map(({ name }) => name),
  rows.map(({ state }) => state),
  rows.map(({ records, reused }) => records - reused),
  rows.map(({ head }) => head),
  rows.map(({ base }) => base),
  rows.map(({ reused }) => reused),
  rows.map(({ cuts }) => cuts),
]

/**
 * Moves unchanged rows to where they belong. The rows after the unchanged ones replace those that followed
 * before.
 */
async function grow({ run }: Connection, { copied, grown }: Telling): Promise<void> {
  for (const { into, at, of, from, count } of copied) {
    const found = await run(
      `INSERT INTO transcript_records (telling, number, message, size, doc)
       SELECT $1::bigint, number - $4::bigint + $2::bigint, message, size, doc FROM transcript_records
       WHERE telling = $3 AND number >= $4 AND number < $4 + $5::bigint`,
      [into, at, of, from, count],
    )
    if (found < count) throw replacedFailure()
  }
  for (const { from, into, reused } of grown) {
    await run('DELETE FROM transcript_records WHERE telling = $1 AND number >= $2', [into, reused])
    await run('UPDATE transcript_records SET telling = $2 WHERE telling = $1', [from, into])
  }
}

/** The upload was cleaned up since it was looked up; looked up again, it counts as missing. */
const replacedFailure = (): Refused =>
  new Refused(failure('busy', 'The session was replaced while it was being sent. Try again in a moment.'))

async function end(connection: Connection, host: string, ended: Tellings): Promise<readonly SessionRef[]> {
  const { run } = connection
  const groups = ended.map(([group]) => group)
  const columns = sessionColumns(groups)
  const findName = await readNames(connection, host, groups)
  const unnamed = groups.filter((group) => findName(group) === undefined)
  const free = (unnamed.length > 0 ? await findFreeNames(connection, host, unnamed) : []).values()
  const named = groups.map(({ source, id }) => ({
    source,
    id: findName({ source, id }) ?? free.next().value ?? id,
  }))
  const column = <T>(of: (stands: NonNullable<Telling['stands']>) => T): readonly T[] =>
    ended.flatMap(([, { stands }]) => (stands ? [of(stands)] : []))
  const numbers = column(({ telling }) => telling)
  const stored = await run(
    `INSERT INTO transcripts AS t (source, id, telling, last_at, head, session)
     SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[])
     ON CONFLICT (source, id) DO UPDATE
     SET telling = excluded.telling, last_at = excluded.last_at, head = excluded.head, session = excluded.session
     WHERE NOT EXISTS (SELECT FROM transcript_tellings AS k, transcript_tellings AS n
       WHERE k.number = t.telling AND k.state = 'stands' AND n.number = excluded.telling
         AND (k.source, k.id, k.host) <> (n.source, n.id, n.host))`,
    [
      ...sessionColumns(named),
      numbers,
      column(({ last_at }) => last_at),
      column(({ head }) => head).map((head, at) => renameHead(head, named[at]?.id)),
      column(({ session }) => session),
    ],
  )
  if (stored < named.length) throw nameTaken()
  await run(
    `UPDATE transcript_tellings AS t SET state = 'over', changed_at = ${NOW}
     FROM unnest($1::text[], $2::text[], $3::bigint[]) AS e (source, id, number)
     WHERE t.source = e.source AND t.id = e.id AND t.host = $4 AND t.state = 'stands' AND t.number <> e.number`,
    [...columns, numbers, toStoredName(host)],
  )
  await run(
    `INSERT INTO transcripts_told (source, id, head, host)
     SELECT e.*, $4 FROM unnest($1::text[], $2::text[], $3::text[]) AS e
     ON CONFLICT (source, host, id) DO UPDATE SET head = excluded.head`,
    [...columns, column(({ head }) => head), toStoredName(host)],
  )
  return named.filter(({ id }, at) => id !== groups[at]?.id && findName(groups[at] as Group) === undefined)
}

function renameHead(head: string, name: string | undefined): string {
  const about = JSON.parse(head) as { readonly id: string }
  return name === undefined || name === about.id ? head : JSON.stringify({ ...about, name })
}

/** Drops what this host uploaded. Copies of other hosts stay, each under its name. */
async function drop(
  { rows, run }: Connection,
  host: string,
  tellings: Tellings,
): Promise<{ readonly dropped: number; readonly gone: readonly SessionRef[] }> {
  if (tellings.length === 0) return { dropped: 0, gone: [] }
  const own = [...sessionColumns(tellings.map(([group]) => group)), toStoredName(host)]
  const each = '(SELECT * FROM unnest($1::text[], $2::text[]))'
  const dropped = await run(`DELETE FROM transcripts_told WHERE (source, id) IN ${each} AND host = $3`, own)
  const gone = await rows(
    `DELETE FROM transcripts AS t USING transcript_tellings AS k
     WHERE (k.source, k.id) IN ${each} AND k.number = t.telling AND k.host = $3 RETURNING k.source, k.id`,
    own,
  )
  if (gone.length > 0)
    await run(
      `UPDATE transcript_tellings SET state = 'over', changed_at = ${NOW}
       WHERE (source, id) IN ${each} AND host = $3 AND state = 'stands'`,
      own,
    )
  const ids = new Map(tellings.map(([{ source, id }]) => [`${source} ${toStoredName(id)}`, { source, id }]))
  return { dropped, gone: gone.flatMap(({ source, id }) => ids.get(`${source} ${id}`) ?? []) }
}
