import type { DatabaseSync } from 'node:sqlite'
import type { Handlers } from '@panoptes/engine/worker-rpc'
import type {
  MarksInput,
  SavedFilter,
  SavedQuery,
  SessionMarks,
  SessionRef,
  TagCount,
} from '@panoptes/schema'
import type { AnnotationQuery } from '../annotations-port.ts'

export interface MarkedWrites {
  mark(session: SessionRef, marks: MarksInput): SessionMarks
  saveFilter(name: string, query: SavedQuery): null
  dropFilter(name: string): boolean
}

export interface MarkedReads {
  marked(query: AnnotationQuery): readonly SessionMarks[]
  tags(): readonly TagCount[]
  filters(): readonly SavedFilter[]
}

export const markedWrites = (db: () => DatabaseSync): Handlers<MarkedWrites> => ({
  mark: (_job, session, marks) => mark(db(), session, marks),
  saveFilter: (_job, name, query) => {
    db()
      .prepare(
        'INSERT INTO saved_filters VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET query = excluded.query',
      )
      .run(name, JSON.stringify(query))
    return null
  },
  dropFilter: (_job, name) =>
    db().prepare('DELETE FROM saved_filters WHERE name = ?').run(name).changes === 1,
})

export const markedReads = (db: () => DatabaseSync): Handlers<MarkedReads> => ({
  marked: (_job, query) => readSessionMarks(db(), query),
  tags: () =>
    db()
      .prepare(
        `SELECT t.value AS tag, count(*) AS sessions FROM session_marks AS m, json_each(m.tags) AS t
         GROUP BY t.value ORDER BY sessions DESC, tag`,
      )
      .all()
      .map((row) => ({ tag: String(row.tag), sessions: Number(row.sessions) })),
  filters: () =>
    db()
      .prepare('SELECT name, query FROM saved_filters ORDER BY name')
      .all()
      .map((row) => ({ name: String(row.name), query: JSON.parse(String(row.query)) as SavedQuery })),
})

function mark(db: DatabaseSync, { source, id }: SessionRef, { tags, note }: MarksInput): SessionMarks {
  const before = readSessionMarks(db, { of: [{ source, id }] })[0]
  const now: SessionMarks = {
    source,
    id,
    tags: tags ?? before?.tags ?? [],
    note: note === undefined ? (before?.note ?? null) : note,
  }
  if (now.tags.length === 0 && now.note === null)
    db.prepare('DELETE FROM session_marks WHERE source = ? AND id = ?').run(source, id)
  else
    db.prepare(
      `INSERT INTO session_marks (source, id, tags, note) VALUES (?, ?, ?, ?)
       ON CONFLICT (source, id) DO UPDATE SET tags = excluded.tags, note = excluded.note`,
    ).run(source, id, JSON.stringify(now.tags), now.note)
  return now
}

function readSessionMarks(db: DatabaseSync, { of, tag }: AnnotationQuery): SessionMarks[] {
  const conditions = [
    ...(of === undefined
      ? []
      : ["(source, id) IN (SELECT value ->> 'source', value ->> 'id' FROM json_each(?))"]),
    ...(tag === undefined ? [] : ['EXISTS (SELECT 1 FROM json_each(tags) AS t WHERE t.value = ?)']),
  ]
  const where = conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''
  return db
    .prepare(`SELECT source, id, tags, note FROM session_marks ${where} ORDER BY source, id`)
    .all(...(of === undefined ? [] : [JSON.stringify(of)]), ...(tag === undefined ? [] : [tag]))
    .map((row) => ({
      source: String(row.source),
      id: String(row.id),
      tags: JSON.parse(String(row.tags)) as string[],
      note: row.note === null ? null : String(row.note),
    }))
}
