import type { WrongRows } from '@panoptes/schema'

/** Compares the stored rows with those that a rebuild made beside them. Both engines understand this SQL. */
export const WRONG_ROWS = `
  SELECT name, how, count(*) AS rows, min(key) AS example FROM (
    SELECT coalesce(n.name, r.name) AS name, coalesce(n.key, r.key) AS key,
      CASE WHEN r.key IS NULL THEN 'missing' WHEN n.key IS NULL THEN 'unexplained' ELSE 'changed' END AS how
    FROM projection_next AS n FULL JOIN projection_rows AS r ON n.name = r.name AND n.key = r.key
    WHERE n.doc IS DISTINCT FROM r.doc OR n.grp IS DISTINCT FROM r.grp OR n.tag IS DISTINCT FROM r.tag
      OR n.ord IS DISTINCT FROM r.ord OR n.ref IS DISTINCT FROM r.ref
  ) AS wrong GROUP BY name, how ORDER BY name, how`

type Row = Readonly<Record<string, unknown>>

/** The keys of rows are names separated by a control character. */
export const wrongRows = (rows: readonly Row[]): readonly WrongRows[] =>
  rows.map(({ name, how, rows: count, example }) => ({
    projection: String(name),
    how: how as WrongRows['how'],
    rows: Number(count),
    example: String(example).replaceAll('\u001f', ' '),
  }))

export const countWrong = (wrong: readonly WrongRows[]): number =>
  wrong.reduce((sum, { rows }) => sum + rows, 0)
