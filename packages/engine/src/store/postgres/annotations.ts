import type { MarksInput, SavedQuery, SessionMarks, SessionRef } from '@panoptes/schema'
import type { AnnotationQuery, AnnotationStore } from '../annotations-port.ts'
import type { Ask } from './auxiliary-tables.ts'
import type { Connection, Database, Row } from './database.ts'

export const createAnnotations = (database: Database, ask: Ask): AnnotationStore => ({
  list: (query) => ask(() => readSessionMarks(database, query)),
  mark: (session, marks) => ask(() => database.transaction((connection) => mark(connection, session, marks))),
  tags: () =>
    ask(async () => {
      const rows = await database.rows(
        `SELECT tag, count(*) AS sessions FROM session_marks, unnest(tags) AS tag
         GROUP BY tag ORDER BY sessions DESC, tag COLLATE "C"`,
      )
      return rows.map(({ tag, sessions }) => ({ tag: String(tag), sessions: Number(sessions) }))
    }),
  filters: () =>
    ask(async () => {
      const rows = await database.rows('SELECT name, query FROM saved_filters ORDER BY name')
      return rows.map(({ name, query }) => ({
        name: String(name),
        query: JSON.parse(String(query)) as SavedQuery,
      }))
    }),
  saveFilter: (name, query) =>
    ask(async () => {
      await database.run(
        'INSERT INTO saved_filters VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET query = excluded.query',
        [name, JSON.stringify(query)],
      )
      return null
    }),
  dropFilter: (name) =>
    ask(async () => (await database.run('DELETE FROM saved_filters WHERE name = $1', [name])) === 1),
})

/** Two people may edit a session's annotations at the same time; each changes only the given fields. */
async function mark(
  { row, run }: Connection,
  { source, id }: SessionRef,
  { tags, note }: MarksInput,
): Promise<SessionMarks> {
  const now = await row(
    `INSERT INTO session_marks AS m VALUES ($1, $2, coalesce($3::text[], '{}'), $4)
     ON CONFLICT (source, id) DO UPDATE
       SET tags = coalesce($3::text[], m.tags), note = CASE WHEN $5 THEN $4 ELSE m.note END
     RETURNING source, id, tags, note`,
    [source, id, tags ?? null, note ?? null, note !== undefined],
  )
  await run(`DELETE FROM session_marks WHERE source = $1 AND id = $2 AND tags = '{}' AND note IS NULL`, [
    source,
    id,
  ])
  return marksIn(now ?? {})
}

async function readSessionMarks(
  { rows }: Database,
  { of, tag }: AnnotationQuery,
): Promise<readonly SessionMarks[]> {
  const found = await rows(
    `SELECT source, id, tags, note FROM session_marks
     WHERE ($1::text[] IS NULL OR (source, id) IN (SELECT * FROM unnest($1::text[], $2::text[])))
       AND ($3::text IS NULL OR $3 = ANY(tags))
     ORDER BY source, id`,
    [of?.map(({ source }) => source) ?? null, of?.map(({ id }) => id) ?? null, tag ?? null],
  )
  return found.map(marksIn)
}

const marksIn = (row: Row): SessionMarks => ({
  source: String(row.source),
  id: String(row.id),
  tags: row.tags as string[],
  note: row.note === null ? null : String(row.note),
})

export async function forgetMarked(
  { row }: Connection,
  { source, id }: SessionRef,
): Promise<{ readonly tags: number; readonly notes: number }> {
  const gone = await row(
    'DELETE FROM session_marks WHERE source = $1 AND id = $2 RETURNING cardinality(tags) AS tags, note',
    [source, id],
  )
  return { tags: Number(gone?.tags ?? 0), notes: gone === undefined || gone.note === null ? 0 : 1 }
}
