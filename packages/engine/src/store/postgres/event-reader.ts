import { clamp } from '@panoptes/schema/numbers'
import { PAGE_BYTES } from '../page-bytes.ts'
import type { EventFilter, EventPage, EventRange, EventRow } from '../port.ts'
import type { Connection, Value } from './database.ts'

/** How many seqs one window of a search covers, and how long one page may take. */
const WINDOW = 20_000
const PATIENCE_MS = 60

/**
 * Takes the first rows, ordered by seq, up to the size of a page. PostgreSQL knows the length of a text
 * without reading it.
 */
export const pageQuery = (rows: string, order: 'ASC' | 'DESC' = 'ASC', held = 0): string =>
  `SELECT seq, body FROM (
     SELECT seq, body, sum(octet_length(body)) OVER (ORDER BY seq ${order}) - octet_length(body) AS held FROM (${rows}) AS page
   ) AS next WHERE held < ${PAGE_BYTES - held} ORDER BY seq ${order}`

/**
 * Reads one page of the log, upwards or downwards, window by window, until the page is full, the log ends, or
 * the time is up.
 */
export async function readEvents(
  connection: Connection,
  range: EventRange,
  filter: EventFilter,
): Promise<EventPage> {
  const head = await connection.row('SELECT last, base FROM head')
  const first = Number(head?.base) + 1
  const last = Number(head?.last)
  const isUp = 'after' in range
  const { sql, values, isIndexed } = buildWhere(filter)
  const window = sql === '' || isIndexed ? Number.MAX_SAFE_INTEGER : WINDOW
  const rows: EventRow[] = []
  let held = 0
  const isFull = () => rows.length >= range.limit || held >= PAGE_BYTES
  const patience = performance.now() + PATIENCE_MS
  let at = isUp ? Math.max(range.after + 1, first) : Math.min(range.before - 1, last)
  const isOver = () => (isUp ? at > last : at < first)
  while (!isOver()) {
    const edge = isUp ? Math.min(last, at + window - 1) : Math.max(first, at - window + 1)
    const order = isUp ? 'ASC' : 'DESC'
    const matching = `SELECT seq, body FROM log WHERE seq >= $1 AND seq <= $2${sql} ORDER BY seq ${order} LIMIT $3`
    const found = await connection.rows(pageQuery(matching, order, held), [
      Math.min(at, edge),
      Math.max(at, edge),
      range.limit - rows.length,
      ...values,
    ])
    for (const { seq, body } of found) {
      rows.push(eventRow(Number(seq), String(body)))
      held += Buffer.byteLength(String(body))
    }
    at = (isFull() ? (rows.at(-1)?.seq ?? at) : edge) + (isUp ? 1 : -1)
    if (isFull() || performance.now() > patience) break
  }
  return { rows, next: isOver() ? null : at + (isUp ? -1 : 1) }
}

export const eventRow = (seq: number, body: string): EventRow => ({
  seq,
  json: `{"seq":${seq},${body.slice(1)}`,
})

/** Returns the body as the table has it. */
export const rowBody = ({ seq, json }: EventRow): string => `{${json.slice(`{"seq":${seq},`.length)}`

interface Where {
  readonly sql: string
  readonly values: readonly Value[]
  /** This is true when an index yields matching rows in the order of seq. */
  readonly isIndexed: boolean
}

/** Parameters start at $4. */
function buildWhere(filter: EventFilter): Where {
  const values: Value[] = []
  const terms: string[] = []
  const add = (term: (parameter: string) => string, value: Value) => {
    values.push(value)
    terms.push(term(`$${values.length + 3}`))
  }
  if (filter.session !== undefined) add((p) => `session_id = ${p}`, filter.session)
  if (filter.agent !== undefined) add((p) => `agent_id = ${p}`, filter.agent)
  if (filter.source !== undefined) add((p) => `source = ${p}`, filter.source)
  if (filter.since !== undefined) add((p) => `ts >= ${p}`, whole(filter.since))
  if (filter.until !== undefined) add((p) => `ts < ${p}`, whole(filter.until))
  if (filter.failed) terms.push('failed')
  if (filter.kinds !== undefined) add((p) => `event = ANY(${p})`, filter.kinds)
  // Only ASCII letters have a case here, because the C collation knows no others.
  if (filter.text)
    add((p) => `strpos(lower(body COLLATE "C"), lower(${p} COLLATE "C")) > 0`, asWritten(filter.text))
  const ownAgent = filter.agent !== undefined && filter.agent !== 'main'
  if (ownAgent) terms.push(`agent_id IS NOT NULL AND agent_id <> 'main'`)
  return {
    sql: terms.map((term) => ` AND ${term}`).join(''),
    values,
    isIndexed: ownAgent || filter.session !== undefined,
  }
}

/** A time may be any number, but the table stores whole ones. */
export const whole = (time: number): number =>
  clamp(Math.ceil(time), -Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER)

/** Bodies are JSON text, so the search text is escaped the way JSON escapes it. */
const asWritten = (text: string): string => JSON.stringify(text).slice(1, -1)
