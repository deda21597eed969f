import type { Timeline } from '@panoptes/schema'
import type { TimelineQuery } from '../port.ts'
import { ALIVE, ENDED, HIDDEN_SESSION } from '../projections/index.ts'
import { groupOf, MarkChoice, MOST_MARKS, madeOf } from '../timeline/marks.ts'
import { countAlive, type Life, slicesOf } from '../timeline/slices.ts'
import type { Connection, Value } from './database.ts'
import { whole } from './event-reader.ts'
import { storedKey } from './names.ts'

/** Bars, the line of living agents, and marks of a span. All within one snapshot. */
export async function timelineOf(connection: Connection, query: TimelineQuery): Promise<Timeline> {
  const { from, to } = query
  const line = slicesOf(query)
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
  countAlive(line, query, await livesOf(connection, query))
  return { from, to, slices: line.slices, ...(await marksOf(connection, span)) }
}

const SPAN = 'ts >= $1 AND ts < $2 AND ($3::text IS NULL OR session_id = $3)'

/** No text inside JSON can look like the name of a field, and an agent's own fields come before any other of these names. */
async function livesOf({ rows }: Connection, { from, session }: TimelineQuery): Promise<readonly Life[]> {
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

/** What may be told of each rank; the kinds are those of its marks. */
const RANKS = [
  `failed AND event IN ('agent_done', 'agent_link')`,
  `NOT failed AND event = 'agent_wait'`,
  `NOT failed AND event = 'agent_stuck'`,
  `NOT failed AND event IN ('agent_spawn', 'agent_done', 'agent_lost')`,
]

const TOLD = `event IN ('agent_spawn', 'agent_wait', 'agent_stuck', 'agent_done', 'agent_lost')`

/** The newest marks of a span, failures and waits before all others; how many were left out is said. */
async function marksOf(
  connection: Connection,
  span: readonly Value[],
): Promise<Pick<Timeline, 'marks' | 'marks_left_out'>> {
  // Sessions that a hook started have nobody to jump to.
  const shown = `${SPAN} AND source || E'\\x1f' || session_id NOT IN
    (SELECT grp FROM projection_rows WHERE name = 'agents' AND tag = '${HIDDEN_SESSION}' AND ord >= $1)`
  const choice = new MarkChoice()
  let added = 0
  for (const rank of RANKS) {
    const index = rank.startsWith('failed') ? rank : `${TOLD} AND ${rank}`
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
       (SELECT count(*) FROM log WHERE ${TOLD} AND NOT failed AND ${shown}) AS count`,
    span,
  )
  choice.leave(Number(all?.count) - added)
  const callers = choice.chosen().filter(({ body }) => typeof body === 'string')
  const docs = await connection.rows(
    `SELECT n, doc FROM unnest($1::text[]) WITH ORDINALITY AS wanted (key, n)
     JOIN projection_rows AS r ON r.name = 'agents' AND r.key = wanted.key`,
    [callers.map((row) => storedKey(groupOf(row)))],
  )
  const made = new Map(docs.map(({ n, doc }) => [groupOf(callers[Number(n) - 1] ?? {}), madeOf(String(doc))]))
  return choice.marks((group) => made.get(group) ?? {})
}
