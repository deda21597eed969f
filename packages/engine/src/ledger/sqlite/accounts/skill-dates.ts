import type { Statements } from '../statements.ts'
import { ANY } from './names.ts'
import { scopesOf } from './scopes.ts'

interface Touched {
  readonly key: readonly [source: number, project: number, skill: number]
  newest: number
  isGone: boolean
}

/** When each skill was last used. What is taken away may have been the last use: then the one before it is looked up. */
export class SkillDates {
  readonly #touched = new Map<string, Touched>()

  saw(source: number, project: number, skill: number, at: number, sign: 1 | -1): void {
    for (const scope of scopesOf(source, project)) {
      const key = [...scope, skill] as const
      const name = key.join(' ')
      const touched = this.#touched.get(name) ?? { key, newest: -1, isGone: false }
      this.#touched.set(name, touched)
      if (sign === 1) touched.newest = Math.max(touched.newest, at)
      else touched.isGone = true
    }
  }

  /** Once the rows are written. */
  write(statements: Statements): void {
    const put = statements.of(
      `INSERT INTO account_skills (source, project, skill, last_used) VALUES (?, ?, ?, ?)
       ON CONFLICT (source, project, skill) DO UPDATE SET last_used = max(last_used, excluded.last_used)`,
    )
    const drop = statements.of('DELETE FROM account_skills WHERE source = ? AND project = ? AND skill = ?')
    for (const { key, newest, isGone } of this.#touched.values()) {
      if (isGone) drop.run(...key)
      const last = isGone ? lastUse(statements, key) : newest
      if (last !== undefined) put.run(...key, last)
    }
    this.#touched.clear()
  }
}

function lastUse(statements: Statements, [source, project, skill]: Touched['key']): number | undefined {
  const terms = [
    'skill = ?',
    ...(source === ANY ? [] : ['source = ?']),
    ...(project === ANY ? [] : ['project = ?']),
  ]
  const values = [skill, source, project].filter((value) => value !== ANY)
  const row = statements
    .of(`SELECT at FROM account_uses WHERE ${terms.join(' AND ')} ORDER BY at DESC LIMIT 1`)
    .get(...values)
  return row === undefined ? undefined : Number(row.at)
}
