import type { Timeline } from '@panoptes/schema'
import type { TimelineQuery } from '../port.ts'
import { ALIVE, ENDED, HIDDEN_SESSION } from '../projections/index.ts'
import {
  countAlive,
  createSlices,
  type Life,
  MarkChoice,
  MOST_MARKS,
  parseMade,
  sessionGroup,
} from '../timeline/marks.ts'
import type { Connection, Value } from './database.ts'
import { whole } from './event-reader.ts'
import { toStoredKey } from './names.ts'

/** Reads the bars, the line of living agents and the marks of a span within one snapshot. */
export async function readTimeline(connection: Connection, query: TimelineQuery): Promise<Timeline> {
  const { from, to } = query
  const line = createSlices(query)
  const span = [whole(from), whole(to), query.session ?? null]
  const bars = await connection.rows(
    `SELECT div(ts - $4::numeric, $5::numeric)::integer AS slice, count(*) AS events, count(*) FILTER (WHERE failed) AS errors
     FROM log WHERE ${SPAN} GROUP BY slice`,
    [...span, from, line.width],
  )
  for (const row of bars) {
    const slice = line.slices[Number(row.slice)]
    if (slice === undefined) continue
    slice.events = Number(row.events)
    slice.errors = Number(row.errors)
  }
  countAlive(line, query, await readLives(connection, query))
  return { from, to, slices: line.slices, ...(await readMarks(connection, span)) }
}

const SPAN = 'ts >= $1 AND ts < $2 AND ($3::text IS NULL OR session_id = $3)'

/**
 * Finds fields in the JSON text: no string value can look like a field name, and an agent's own fields come
 * first.
 */
async function readLives({ rows }: Connection, { from, session }: TimelineQuery): Promise<readonly Life[]> {
  const found = await rows(
    `SELECT substring(doc FROM '"started_at":(\\d+)')::bigint AS started, substring(doc FROM '"ended_at":(\\d+)')::bigint AS ended
     FROM projection_rows WHERE name = 'agents' AND (tag = '${ALIVE}' OR tag = '${ENDED}' AND ord >= $1)
       AND ($2::text IS NULL OR strpos(doc, $2) > 0)`,
    [whole(from), session === undefined ? null : `"session_id":${JSON.stringify(session)},`],
  )
  return found.map(({ started, ended }) => ({
    started: Number(started),
    ended: ended === null ? null : Number(ended),
  }))
}

/** The events of each rank, by the kinds of its marks. */
const RANKS = [
  `failed AND event IN ('agent_done', 'agent_link')`,
  `NOT failed AND event = 'agent_wait'`,
  `NOT failed AND event = 'agent_stuck'`,
  `NOT failed AND event IN ('agent_spawn', 'agent_done', 'agent_lost')`,
]

const MARK_EVENTS = `event IN ('agent_spawn', 'agent_wait', 'agent_stuck', 'agent_done', 'agent_lost')`

/** Returns the newest marks of a span, failures and waits first, and how many were left out. */
async function readMarks(
  connection: Connection,
  span: readonly Value[],
): Promise<Pick<Timeline, 'marks' | 'marks_left_out'>> {
  // Sessions that a hook started contain no agent to jump to.
  const shown = `${SPAN} AND source || E'\\x1f' || session_id NOT IN
    (SELECT grp FROM projection_rows WHERE name = 'agents' AND tag = '${HIDDEN_SESSION}' AND ord >= $1)`
  const choice = new MarkChoice()
  let added = 0
  for (const rank of RANKS) {
    const index = rank.startsWith('failed') ? rank : `${MARK_EVENTS} AND ${rank}`
    const rows = await connection.rows(
      `SELECT seq, ts, event, source, session_id, agent_id, failed, CASE WHEN failed AND agent_id IS NULL THEN body END AS body
       FROM log WHERE ${index} AND ${shown} ORDER BY ts DESC, seq DESC LIMIT ${MOST_MARKS}`,
      span,
    )
    for (const row of rows) choice.add(row)
    added += rows.length
  }
  const all = await connection.row(
    `SELECT (SELECT count(*) FROM log WHERE ${RANKS[0]} AND ${shown}) +
       (SELECT count(*) FROM log WHERE ${MARK_EVENTS} AND NOT failed AND ${shown}) AS count`,
    span,
  )
  choice.leave(Number(all?.count) - added)
  const callers = choice.chosen().filter(({ body }) => typeof body === 'string')
  const docs = await connection.rows(
    `SELECT n, doc FROM unnest($1::text[]) WITH ORDINALITY AS wanted (key, n)
     JOIN projection_rows AS r ON r.name = 'agents' AND r.key = wanted.key`,
    [callers.map((row) => toStoredKey(sessionGroup(row)))],
  )
  const made = new Map(
    docs.map(({ n, doc }) => [sessionGroup(callers[Number(n) - 1] ?? {}), parseMade(String(doc))]),
  )
  return choice.marks((group) => made.get(group) ?? {})
}
