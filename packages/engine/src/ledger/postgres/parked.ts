import type { SessionSummary } from '@panoptes/schema'
import { type Checkpoint, isAhead } from '../past/checkpoint.ts'
import { type PackedRow, unpackRows } from '../past/packed-rows.ts'
import type { EventText, Parked, SessionName } from '../past/past-sessions.ts'
import { rowKey } from '../projections/index.ts'
import type { Connection } from './database.ts'
import { whole } from './event-reader.ts'
import { storedKey } from './names.ts'
import { ofSessions } from './past-events.ts'
import { rowsOfGroups } from './present-rows.ts'

interface State {
  readonly seq: number
  readonly rows: readonly PackedRow[]
}

/** Reads all that a replay may ask of sessions that are not in its checkpoint, in few questions. */
export async function parkedFor(
  connection: Connection,
  checkpoint: Checkpoint,
  events: readonly EventText[],
  ts: number,
): Promise<Parked> {
  const names = await namesFor(connection, checkpoint, events, ts)
  const groups = [...names.keys()]
  const parked = await lastStates(connection, groups, checkpoint.seq)
  const isUsable = (group: string) => parked.get(group)?.rows.some((row) => isAhead(row, ts)) === false
  const base = await rowsOfGroups(
    connection,
    'projection_base',
    groups.filter((group) => !isUsable(group)),
  )
  const wanted = [...names].map(([group, name]) => ({
    name,
    after: isUsable(group) ? (parked.get(group)?.seq ?? 0) : 0,
  }))
  const own = await ofSessions(connection, wanted, checkpoint.seq, whole(ts))
  const byGroup = Map.groupBy(own, ({ group }) => rowKey(...group))
  return {
    nameOf: (group) => names.get(group),
    parked: (group) => parked.get(group),
    base: (group) => base.get(group) ?? [],
    events: (name) => byGroup.get(rowKey(...name)) ?? [],
  }
}

/** The sessions that are not in the checkpoint, and those of it that tell of what is yet to come. */
async function namesFor(
  connection: Connection,
  checkpoint: Checkpoint,
  events: readonly EventText[],
  ts: number,
): Promise<ReadonlyMap<string, SessionName>> {
  const there = new Set(checkpoint.rows.map(({ group }) => group))
  const names = new Map<string, SessionName>()
  for (const { group } of events) {
    const key = rowKey(...group)
    if (!there.has(key)) names.set(key, group)
  }
  const ahead = checkpoint.isBase ? [] : checkpoint.rows.filter((row) => isAhead(row, ts))
  if (ahead.length === 0) return names
  const rows = await connection.rows(
    `SELECT doc FROM projection_rows WHERE name = 'sessions' AND key = ANY($1)`,
    [ahead.map(({ group }) => storedKey(group))],
  )
  for (const { doc } of rows) {
    const { source, session_id } = JSON.parse(String(doc)) as SessionSummary
    names.set(rowKey(source, session_id), [source, session_id])
  }
  return names
}

async function lastStates(
  connection: Connection,
  groups: readonly string[],
  upTo: number,
): Promise<ReadonlyMap<string, State>> {
  if (groups.length === 0) return new Map()
  const rows = await connection.rows(
    `SELECT n, seq, rows FROM unnest($1::text[]) WITH ORDINALITY AS wanted (grp, n),
     LATERAL (SELECT seq, rows FROM parked AS p WHERE p.grp = wanted.grp AND p.seq <= $2 ORDER BY p.seq DESC LIMIT 1) AS last`,
    [groups.map(storedKey), upTo],
  )
  return new Map(
    rows.map(({ n, seq, rows: packed }) => [
      groups[Number(n) - 1] ?? '',
      { seq: Number(seq), rows: unpackRows(packed as Uint8Array) },
    ]),
  )
}
