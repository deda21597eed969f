import type { Deltas } from '../../accounts/deltas.ts'
import { ANY } from '../../accounts/names.ts'
import type { SkillDates } from '../../accounts/skill-dates.ts'
import { type Column, dropAll, putAll } from './bulk.ts'
import type { Writes } from './together.ts'

const isText = (table: string, column: string): boolean =>
  table === 'account_cost_sums' && ['kind', 'day', 'prev'].includes(column)

export async function writeSums(writes: Writes, sums: Deltas): Promise<void> {
  const { table, counts, amounts } = sums
  const key = sums.key.map((name): Column => [name, isText(table, name) ? 'text' : 'integer'])
  const added = amounts.map((name): Column => [name, counts.includes(name) ? 'bigint' : 'double precision'])
  const changes = [...sums.changes()]
  const put = changes.map((change) => [...change.key, ...change.amounts])
  const add = amounts.map((name) => `${name} = ${table}.${name} + excluded.${name}`)
  const change = `ON CONFLICT (${sums.key.join(', ')}) DO UPDATE SET ${add.join(', ')}`
  await putAll(writes, table, [...key, ...added], put, change)
  const less = changes.flatMap((each) => (each.isLess ? [each.key] : []))
  const isNone = counts.map((name) => ` AND t.${name} = 0`).join('')
  await dropAll(writes, table, key, less, isNone)
}

const KEY: readonly Column[] = [
  ['source', 'integer'],
  ['project', 'integer'],
  ['skill', 'integer'],
]

/** When each skill was last used, once its rows are written. */
export async function writeDates(writes: Writes, dates: SkillDates): Promise<void> {
  const changes = dates.changes()
  const gone = changes.flatMap(({ key, isGone }) => (isGone ? [key] : []))
  if (gone.length > 0) {
    await dropAll(writes, 'account_skills', KEY, gone)
    await writes.run(
      `INSERT INTO account_skills (source, project, skill, last_used)
       SELECT k.source, k.project, k.skill, last.at
       FROM unnest($1::integer[], $2::integer[], $3::integer[]) AS k (source, project, skill)
       CROSS JOIN LATERAL (
         SELECT at FROM account_uses WHERE skill = k.skill AND at IS NOT NULL
           AND (k.source = ${ANY} OR source = k.source) AND (k.project = ${ANY} OR project = k.project)
         ORDER BY at DESC LIMIT 1
       ) AS last`,
      [0, 1, 2].map((n) => gone.map((key) => key[n])),
    )
  }
  const seen = changes.flatMap(({ key, newest, isGone }) => (isGone ? [] : [[...key, newest]]))
  await putAll(
    writes,
    'account_skills',
    [...KEY, ['last_used', 'bigint']],
    seen,
    `ON CONFLICT (source, project, skill)
     DO UPDATE SET last_used = greatest(account_skills.last_used, excluded.last_used)`,
  )
}
