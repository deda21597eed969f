import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { rowQueries, selectAliveKeys } from './event-reader.ts'
import { migrate } from './migrations.ts'

const readPlan = (sql: string): string => {
  const db = new DatabaseSync(':memory:')
  migrate(db)
  const plan = db.prepare(`EXPLAIN QUERY PLAN ${sql}`).all()
  db.close()
  return plan.map((row) => String(row.detail)).join('\n')
}

it.each([
  ['byTag', rowQueries.byTag, 'projection_rows_tag (name=? AND tag=?)'],
  ['countByTag', rowQueries.countByTag, 'projection_rows_tag (name=? AND tag=?)'],
  ['groupsByTagSince', rowQueries.groupsByTagSince, 'projection_rows_tag (name=? AND tag=? AND ord>?)'],
  ['agentsRow', rowQueries.agentsRow, 'projection_rows_key (name=? AND key=?)'],
  ['newestSessions', rowQueries.newestSessions, 'projection_rows_tag (name=? AND tag=?)'],
  ['sessionsByRef', rowQueries.sessionsByRef, 'projection_rows_ref (name=? AND ref=?)'],
  ['newestByRef', rowQueries.newestByRef, 'projection_rows_ref (name=? AND ref=?)'],
  ['groupsByRef', rowQueries.groupsByRef, 'projection_rows_ref (name=? AND ref=?)'],
  ['ofGroup', rowQueries.ofGroup, 'projection_rows_key (name=? AND key>? AND key<?)'],
  ['aliveOfGroup', selectAliveKeys('projection_rows'), 'projection_rows_alive (name=? AND grp=?)'],
  ['aliveOfGroup', selectAliveKeys('projection_base'), 'projection_base_alive (name=? AND grp=?)'],
])('%s searches by the narrowest index', (_, sql, search) => {
  expect(readPlan(sql)).toContain(search)
})
