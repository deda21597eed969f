import type { Timeline } from '@panoptes/schema'
import type { TimelineQuery } from '../port.ts'
import type { Statements } from './statements.ts'
import { marksOf } from './timeline-marks.ts'

/** Bars, the line of living agents, and marks of a span. */
export function timelineOf(statements: Statements, query: TimelineQuery): Timeline {
  const { from, to } = query
  const width = Math.max(1, Math.ceil((to - from) / Math.max(1, query.slices)))
  const count = Math.max(1, Math.ceil((to - from) / width))
  const slices = Array.from({ length: count }, (_, i) => ({
    ts: from + i * width,
    events: 0,
    errors: 0,
    alive: 0,
  }))
  const session = query.session ?? null
  const bars = statements.of(
    `SELECT CAST((ts - ?) / ? AS INTEGER) AS slice, count(*) AS events, sum(failed) AS errors FROM events
     WHERE ts >= ? AND ts < ? AND (? IS NULL OR session_id = ?) GROUP BY slice`,
  )
  for (const row of bars.all(from, width, from, to, session, session)) {
    const slice = slices[Number(row.slice)]
    if (slice === undefined) continue
    slice.events = Number(row.events)
    slice.errors = Number(row.errors)
  }
  countAlive(statements, slices, query, width)
  return { from, to, slices, ...marksOf(statements, query) }
}

function countAlive(
  statements: Statements,
  slices: { ts: number; alive: number }[],
  query: TimelineQuery,
  width: number,
): void {
  const changes = new Array<number>(slices.length + 1).fill(0)
  const sliceOf = (ts: number): number =>
    Math.min(slices.length, Math.max(0, Math.floor((ts - query.from) / width)))
  const lives = statements.of(
    `SELECT json_extract(doc, '$.started_at') AS started, json_extract(doc, '$.ended_at') AS ended,
       json_extract(doc, '$.session_id') AS session FROM projection_rows
     WHERE name = 'agents' AND (tag = 'alive' OR tag = 'ended' AND ord >= ?)`,
  )
  for (const row of lives.iterate(query.from)) {
    if (query.session !== undefined && row.session !== query.session) continue
    if (Number(row.started) >= query.to) continue
    const first = sliceOf(Number(row.started))
    changes[first] = (changes[first] ?? 0) + 1
    if (row.ended === null) continue
    const last = sliceOf(Number(row.ended))
    changes[last] = (changes[last] ?? 0) - 1
  }
  let alive = 0
  slices.forEach((slice, i) => {
    alive += changes[i] ?? 0
    slice.alive = alive
  })
}
