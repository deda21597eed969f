import type { PastAgent, PastSession } from '@panoptes/schema'
import type { Database, Value } from '../../postgres/database.ts'
import { HOST } from '../host.ts'
import { countRepliesAmong } from '../packed-messages.ts'
import type { SessionFilter, SessionListQuery, SessionWork } from '../port.ts'
import { toAgent, toSession } from '../queries.ts'
import { toWork } from '../session-work.ts'

interface Where {
  readonly sql: string
  readonly values: readonly Value[]
}

/**
 * Returns the conditions of a filter on the table of sessions as `s`. Their parameters are numbered from
 * `after` on.
 */
export function buildWhere(filter: SessionFilter, after = 0): Where {
  const conditions: [(value: string) => string, Value | undefined][] = [
    [(id) => `s.id >= ${id} AND s.id < ${id} || chr(1114111)`, filter.id],
    [(source) => `s.source = ${source}`, filter.source],
    [(project) => `s.project = ${project}`, filter.project],
    [(host) => `${HOST} = ${host}`, filter.host],
    [(since) => `s.last_at >= ${since}`, filter.since],
    [(until) => `s.last_at < ${until}`, filter.until],
    [(errors) => `s.errors >= ${errors}`, filter.errors ? 1 : undefined],
    [(cost) => `s.cost_micro_usd >= ${cost}`, filter.min_cost_micro_usd],
    [
      (model) => `EXISTS (SELECT FROM index_models AS m WHERE m.session = s.number AND m.model = ${model})`,
      filter.model,
    ],
    [
      (tool) => `EXISTS (SELECT FROM index_tools AS t WHERE t.session = s.number AND t.tool = ${tool})`,
      filter.tool,
    ],
    [
      (of) =>
        `(s.source, s.id) IN (SELECT each ->> 'source', each ->> 'id' FROM json_array_elements(${of}) AS each)`,
      filter.of && JSON.stringify(filter.of),
    ],
  ]
  const used = conditions.filter(([, value]) => value !== undefined)
  const sql = used.map(([condition], n) => condition(`$${after + n + 1}`))
  return {
    sql: ['s.fingerprint IS NOT NULL', ...sql].join(' AND '),
    values: used.map(([, value]) => value as Value),
  }
}

const NEWEST = 's.last_at DESC NULLS LAST, s.number DESC'

export async function listed(
  { rows }: Database,
  { limit, offset = 0, ...filter }: SessionListQuery,
): Promise<readonly PastSession[]> {
  const { sql, values } = buildWhere(filter, 2)
  const found = await rows(
    `SELECT s.place, s.doc FROM index_sessions AS s WHERE ${sql} ORDER BY ${NEWEST} LIMIT $1 OFFSET $2`,
    [limit, offset, ...values],
  )
  return found.map(toSession)
}

export async function got({ row }: Database, source: string, id: string): Promise<PastSession | null> {
  const found = await row(
    'SELECT place, doc FROM index_sessions WHERE source = $1 AND id = $2 AND fingerprint IS NOT NULL',
    [source, id],
  )
  return found === undefined ? null : toSession(found)
}

export async function readAgents(
  { rows }: Database,
  source: string,
  id: string,
): Promise<readonly PastAgent[]> {
  const found = await rows(
    `SELECT a.doc, a.messages, a.spent FROM index_agents AS a JOIN index_sessions AS s ON s.number = a.session
     WHERE s.source = $1 AND s.id = $2 AND s.fingerprint IS NOT NULL ORDER BY a.id`,
    [source, id],
  )
  return found.map(toAgent)
}

/** Lists sessions newest first. Expensive columns are queried only for those that are returned. */
export async function readWorks(
  { rows }: Database,
  { limit, offset = 0, ...filter }: SessionListQuery,
): Promise<readonly SessionWork[]> {
  const { sql, values } = buildWhere(filter, 2)
  const found = await rows(
    `SELECT s.doc,
       (SELECT coalesce(json_agg(json_build_object('tool', t.tool, 'calls', t.calls, 'errors', t.errors) ORDER BY t.tool), '[]')
        FROM index_tools AS t WHERE t.session = s.number)::text AS tools,
       (SELECT sum(${countRepliesAmong('m.roles')}) FROM index_messages AS m WHERE m.session = s.number) AS turns
     FROM (SELECT s.number, s.last_at, s.doc FROM index_sessions AS s WHERE ${sql}
           ORDER BY ${NEWEST} LIMIT $1 OFFSET $2) AS s
     ORDER BY ${NEWEST}`,
    [limit, offset, ...values],
  )
  return found.map(toWork)
}
