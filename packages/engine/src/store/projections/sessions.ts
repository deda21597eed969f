import type { SessionSummary, StoredEvent } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import { type Projection, rowKey } from './projection.ts'

export const sessionsProjection: Projection<SessionSummary> = {
  name: 'sessions',
  version: 2,
  apply: (rows, event) => {
    const key = rowKey(event.source, event.session_id)
    rows.set(key, follow(rows.get(key) ?? newSession(event), event))
  },
  place: (row) => ({
    group: row.source,
    tag: 'all',
    order: row.last_at,
    ref: row.session_id,
  }),
}

const newSession = (event: StoredEvent): SessionSummary => ({
  source: event.source,
  session_id: event.session_id,
  host: event.host,
  project: null,
  cwd: null,
  title: null,
  started_at: event.ts,
  last_at: event.ts,
  ended_at: null,
  events: 0,
})

function follow(row: SessionSummary, event: StoredEvent): SessionSummary {
  row.events += 1
  row.host ??= event.host
  row.started_at = Math.min(row.started_at, event.ts)
  row.last_at = Math.max(row.last_at, event.ts)
  if (isKind(event, 'session_start')) {
    row.ended_at = null
    row.project = event.project ?? row.project
    row.cwd = event.cwd ?? row.cwd
    row.title = event.title ?? row.title
  } else if (isKind(event, 'session_end')) row.ended_at = event.ts
  return row
}
