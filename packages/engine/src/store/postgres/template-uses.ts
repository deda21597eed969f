import type { SessionRef } from '@panoptes/schema'
import type { ForgottenSessions } from '../forgotten-sessions.ts'
import { filterTemplateUses } from '../forgotten-sessions.ts'
import type { InjectionRow, TemplateNoteRow, TemplateUses } from '../template-uses-port.ts'
import { type Ask, buildWhere } from './auxiliary-tables.ts'
import type { Connection, Database } from './database.ts'
import { sharedTexts } from './shared-texts.ts'

const COLUMNS =
  'key, ts, template, place, made_at, task_type, target, arm, drawn, source, session_id, project'

export const createTemplateUses = (
  database: Database,
  forgotten: ForgottenSessions,
  ask: Ask,
): TemplateUses =>
  filterTemplateUses(
    {
      shared: sharedTexts(database, ask),
      inject: (row) => ask(() => inject(database, row)),
      injections: ({ template, session }) =>
        ask(async () => {
          const { sql, values } = buildWhere([
            [(p) => `template = ${p}`, template],
            [(p) => `source = ${p}`, session?.source],
            [(p) => `session_id = ${p}`, session?.id],
          ])
          const rows = await database.rows(
            `SELECT ${COLUMNS} FROM injections ${sql} ORDER BY ts, number`,
            values,
          )
          return rows as readonly unknown[] as readonly InjectionRow[]
        }),
      note: (row) => ask(() => note(database, row)),
      notes: () =>
        ask(async () => {
          const rows = await database.rows(
            'SELECT name, made_at, source, session_id, doc FROM template_notes ORDER BY name, made_at',
          )
          return rows as readonly unknown[] as readonly TemplateNoteRow[]
        }),
    },
    forgotten,
  )

async function inject({ run }: Database, row: InjectionRow): Promise<boolean> {
  const { key, ts, template, place, made_at, task_type, target, arm, drawn, source, session_id, project } =
    row
  const about = [template, place, made_at, task_type, target, arm, drawn] as const
  const stored = await run(
    `INSERT INTO injections (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
     ON CONFLICT (md5(key)) DO NOTHING`,
    [key, ts, ...about, source, session_id, project],
  )
  return stored > 0
}

async function note(
  { run }: Database,
  { name, made_at, source, session_id, doc }: TemplateNoteRow,
): Promise<null> {
  await run(
    `INSERT INTO template_notes VALUES ($1, $2, $3, $4, $5) ON CONFLICT (name, made_at)
     DO UPDATE SET source = excluded.source, session_id = excluded.session_id, doc = excluded.doc`,
    [name, made_at, source, session_id, doc],
  )
  return null
}

const NO_KEY = `E'\\x1f' || gen_random_uuid()`

/**
 * Keeps the fact that a template was used, but nothing that identifies the user. A template made from the
 * session is deleted with its notes and its name, which may contain the session's id. Returns how many rows
 * changed.
 */
export async function forgetTemplateUses(
  { run }: Connection,
  { source, id }: SessionRef,
): Promise<{ readonly templates: number }> {
  const unnamed = await run(
    `UPDATE injections SET template = '', key = CASE WHEN key = source || '/' || session_id THEN key ELSE ${NO_KEY} END
     WHERE place = 'panoptes' AND (template, made_at) IN
       (SELECT name, made_at FROM template_notes WHERE source = $1 AND session_id = $2)`,
    [source, id],
  )
  const unnoted = await run('DELETE FROM template_notes WHERE source = $1 AND session_id = $2', [source, id])
  // The key of an injection may contain the session's id, and the key of a second one its template.
  const nameless = await run(
    `UPDATE injections SET key = ${NO_KEY}, source = NULL, session_id = NULL, project = NULL
     WHERE source = $1 AND session_id = $2`,
    [source, id],
  )
  return { templates: unnamed + unnoted + nameless }
}
