import type { Timeline } from '@panoptes/schema'
import type { TimelineQuery } from '../port.ts'
import { countAlive, type Life, slicesOf } from '../timeline/slices.ts'
import type { Statements } from './statements.ts'
import { marksOf } from './timeline-marks.ts'

/** Bars, the line of living agents, and marks of a span. */
export function timelineOf(statements: Statements, query: TimelineQuery): Timeline {
  const { from, to } = query
  const line = slicesOf(query)
  const session = query.session ?? null
  const bars = statements.of(
    `SELECT CAST((ts - ?) / ? AS INTEGER) AS slice, count(*) AS events, sum(failed) AS errors FROM events
     WHERE ts >= ? AND ts < ? AND (? IS NULL OR session_id = ?) GROUP BY slice`,
  )
  for (const row of bars.all(from, line.width, from, to, session, session)) {
    const slice = line.slices[Number(row.slice)]
    if (slice === undefined) continue
    slice.events = Number(row.events)
    slice.errors = Number(row.errors)
  }
  countAlive(line, query, livesOf(statements, query))
  return { from, to, slices: line.slices, ...marksOf(statements, query) }
}

function* livesOf(statements: Statements, query: TimelineQuery): Iterable<Life> {
  const lives = statements.of(
    `SELECT json_extract(doc, '$.started_at') AS started, json_extract(doc, '$.ended_at') AS ended,
       json_extract(doc, '$.session_id') AS session FROM projection_rows
     WHERE name = 'agents' AND (tag = 'alive' OR tag = 'ended' AND ord >= ?)`,
  )
  for (const { started, ended, session } of lives.iterate(query.from)) {
    if (query.session !== undefined && session !== query.session) continue
    yield { started: Number(started), ended: ended === null ? null : Number(ended) }
  }
}
