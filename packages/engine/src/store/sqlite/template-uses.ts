import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { Handlers } from '@panoptes/engine/worker-rpc'
import type { SessionRef } from '@panoptes/schema'
import type { InjectionQuery, InjectionRow, TemplateNoteRow } from '../template-uses-port.ts'

export interface TemplateUseWrites {
  inject(row: InjectionRow): boolean
  noteTemplate(row: TemplateNoteRow): null
}

export interface TemplateUseReads {
  injections(query: InjectionQuery): readonly InjectionRow[]
  templateNotes(): readonly TemplateNoteRow[]
}

const COLUMNS =
  'key, ts, template, place, made_at, task_type, target, arm, drawn, source, session_id, project'

export const templateUseWrites = (db: () => DatabaseSync): Handlers<TemplateUseWrites> => ({
  inject: (_job, row) => {
    const { key, ts, template, place, made_at, task_type, target, arm, drawn, source, session_id, project } =
      row
    const put = db().prepare(
      `INSERT INTO injections (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING`,
    )
    const about = [template, place, made_at, task_type, target, arm, drawn ? 1 : 0] as const
    return Number(put.run(key, ts, ...about, source, session_id, project).changes) > 0
  },
  noteTemplate: (_job, { name, made_at, source, session_id, doc }) => {
    db()
      .prepare(
        `INSERT INTO template_notes VALUES (?, ?, ?, ?, ?) ON CONFLICT (name, made_at)
         DO UPDATE SET source = excluded.source, session_id = excluded.session_id, doc = excluded.doc`,
      )
      .run(name, made_at, source, session_id, doc)
    return null
  },
})

export const templateUseReads = (db: () => DatabaseSync): Handlers<TemplateUseReads> => ({
  injections: (_job, { template, session }) => {
    const conditions: [string, SQLInputValue | undefined][] = [
      ['template = ?', template],
      ['source = ?', session?.source],
      ['session_id = ?', session?.id],
    ]
    const used = conditions.filter(([, value]) => value !== undefined)
    const where = used.length === 0 ? '' : `WHERE ${used.map(([sql]) => sql).join(' AND ')}`
    return db()
      .prepare(`SELECT ${COLUMNS} FROM injections ${where} ORDER BY ts, number`)
      .all(...used.map(([, value]) => value as SQLInputValue))
      .map((row) => ({ ...row, drawn: row.drawn === 1 }) as unknown as InjectionRow)
  },
  templateNotes: () =>
    db()
      .prepare('SELECT name, made_at, source, session_id, doc FROM template_notes ORDER BY name, made_at')
      .all() as unknown as TemplateNoteRow[],
})

const NO_KEY = 'char(31) || hex(randomblob(16))'

/**
 * Keeps the fact that a template was used, but nothing that identifies the user. A template made from the
 * session is deleted with its notes and its name, which may contain the session's id. Returns how many rows
 * changed.
 */
export function forgetTemplateUses(db: DatabaseSync, { source, id }: SessionRef): number {
  const unnamed = db
    .prepare(
      `UPDATE injections SET template = '',
         key = CASE WHEN key = source || '/' || session_id THEN key ELSE ${NO_KEY} END
       WHERE place = 'panoptes' AND (template, made_at) IN
         (SELECT name, made_at FROM template_notes WHERE source = ? AND session_id = ?)`,
    )
    .run(source, id)
  const unnoted = db.prepare('DELETE FROM template_notes WHERE source = ? AND session_id = ?').run(source, id)
  // The key of an injection may contain the session's id, and the key of a second one its template.
  const nameless = db
    .prepare(
      `UPDATE injections SET key = ${NO_KEY}, source = NULL, session_id = NULL, project = NULL
       WHERE source = ? AND session_id = ?`,
    )
    .run(source, id)
  return Number(unnamed.changes) + Number(unnoted.changes) + Number(nameless.changes)
}
