import { DatabaseSync } from 'node:sqlite'
import type { AccountFilter } from '@panoptes/engine/store'

const AMOUNTS = [
  'replies',
  'tokens_in',
  'tokens_out',
  'cache_read',
  'cache_write',
  'cost_micro_usd',
  'usage_unknown',
  'cost_unknown',
  'saved_micro_usd',
]
const SUMS = `count(DISTINCT session) AS sessions, ${AMOUNTS.map((name) => `sum(${name})`).join(', ')}`

/** Copies the accounts of a store to plain tables without sums or indexes. */
function plainTables(db: DatabaseSync, ledger: string): void {
  db.exec(`ATTACH '${ledger}' AS l`)
  const name = (column: string) => `(SELECT name FROM l.account_names WHERE id = r.${column})`
  const rows = (kind: string, columns: string) =>
    db.exec(
      `CREATE TABLE ${kind} AS SELECT r.at, ${name('source')} AS source, ${name('project')} AS project, ${columns}, r.doc FROM l.account_${kind} AS r`,
    )
  rows('agents', `${name('type')} AS type, ${name('outcome')} AS outcome, r.flagged, r.finished`)
  rows('claims', `${name('verdict')} AS verdict, r.measured`)
  rows('followups', '1 AS n')
  rows('uses', `${name('skill')} AS skill, r.success, r.doc ->> '$.duration_ms' AS ms`)
  const amounts = AMOUNTS.map((amount) => `c.value ->> '$.cell.${amount}' AS ${amount}`).join(', ')
  db.exec(
    `CREATE TABLE cells AS SELECT a.number AS session, a.source, a.doc ->> '$.project' AS project, c.value ->> '$.cell.day' AS day,
       c.value ->> '$.type' AS agent, c.value ->> '$.cell.model' AS model, coalesce(c.value ->> '$.cell.skill', '–') AS skill, ${amounts}
     FROM l.accounts AS a, json_each(a.doc, '$.cells') AS c`,
  )
  db.exec('DETACH l')
}

interface Scan {
  /** Computes the same answer from every row. */
  readonly ask: (answer: string, filter: AccountFilter) => unknown
  readonly close: () => void
}

export function openScan(file: string, ledger: string): Scan {
  const db = new DatabaseSync(file)
  plainTables(db, ledger)
  const all = (sql: string) => db.prepare(sql).all()
  return {
    ask: (answer, filter) => {
      const [rows, cells] = [whereOf(filter, 'at', String), whereOf(filter, 'day', dayOf)]
      const page = (kind: string, where: string, limit = 100) => [
        all(`SELECT count(*) FROM ${kind} WHERE ${where}`),
        all(`SELECT doc FROM ${kind} WHERE ${where} ORDER BY at DESC LIMIT ${limit}`).map((row) =>
          JSON.parse(String(row.doc)),
        ),
      ]
      const costs = (by: string, more = '') =>
        all(`SELECT ${by}, ${SUMS} FROM cells WHERE ${cells} GROUP BY ${by} ${more}`)
      const plain: Readonly<Record<string, () => unknown>> = {
        totals: () => [
          all(
            `SELECT sum(cost_micro_usd) AS cost, count(DISTINCT session), count(DISTINCT CASE WHEN cost_unknown > 0 THEN session END) FROM cells WHERE ${cells}`,
          ),
          all(`SELECT outcome, count(*) FROM agents WHERE ${rows} AND finished = 1 GROUP BY outcome`),
          all(`SELECT count(*), sum(verdict = 'fails') FROM claims WHERE ${rows}`),
          all(`SELECT count(*) FROM followups WHERE ${rows}`),
        ],
        'costs by day and model': () => costs('day, model'),
        'most costly sessions': () => costs('session', 'ORDER BY sum(cost_micro_usd) DESC LIMIT 100'),
        skills: () => [
          all(
            `SELECT skill, count(*), sum(success = 1), sum(success < 2), max(at) FROM uses WHERE ${rows} GROUP BY skill`,
          ),
          all(
            `SELECT skill, max(ms) FROM (SELECT skill, ms, ntile(20) OVER (PARTITION BY skill ORDER BY ms) AS part FROM uses WHERE ${rows})
             WHERE part IN (10, 19) GROUP BY skill, part`,
          ),
        ],
        outcomes: () =>
          all(
            `SELECT type, outcome, count(*), sum(flagged) FROM agents WHERE ${rows} AND finished = 1 GROUP BY 1, 2`,
          ),
        'flagged agents': () => page('agents', `${rows} AND finished = 1 AND flagged = 1`, 20),
        'follow-ups': () => page('followups', rows),
        claims: () => page('claims', rows),
        'measured estimates': () => page('claims', `${rows} AND measured = 2`, 1_000),
        agents: () => page('agents', `${rows} AND finished = 1`),
      }
      return (plain[answer] ?? (() => costs(answer.replace('costs by ', ''))))()
    },
    close: () => db.close(),
  }
}

function whereOf(
  { since, until, source, project }: AccountFilter,
  column: string,
  shown: (ts: number) => string,
): string {
  const terms = [
    since === undefined ? undefined : `${column} >= ${shown(since)}`,
    until === undefined ? undefined : `${column} < ${shown(until)}`,
    source === undefined ? undefined : `source = '${source}'`,
    project === undefined ? undefined : `project = '${project}'`,
  ]
  return terms.filter((term) => term !== undefined).join(' AND ') || '1'
}

/** In this benchmark, both ends of the time range are local midnights. */
const dayOf = (ts: number): string => {
  const date = new Date(ts)
  return `'${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, '0')}-${String(date.getDate()).padStart(2, '0')}'`
}
