import { PAGE_BYTES } from '../page-bytes.ts'
import type { EventFilter, EventPage, EventRange, EventRow } from '../port.ts'
import type { Statements } from './statements.ts'

/** How many rows one window of an unindexed search covers, and how long one page may take. */
const WINDOW = 10_000
const PATIENCE_MS = 60
/**
 * This many rows are fetched at a time. More rows may hold far more text than the page takes, and fetching
 * one by one takes twice as long.
 */
const CHUNK = 64

/**
 * Queries for rows of projections. Without statistics the planner answers any condition on `name` by key and
 * reads every agent, so each query names its index.
 */
export const rowQueries = {
  byTag: `SELECT doc FROM projection_rows INDEXED BY projection_rows_tag
    WHERE name = 'agents' AND tag = ? ORDER BY ord DESC, key DESC`,
  countByTag: `SELECT count(*) AS alive FROM projection_rows INDEXED BY projection_rows_tag
    WHERE name = 'agents' AND tag = ?`,
  groupsByTagSince: `SELECT grp FROM projection_rows INDEXED BY projection_rows_tag
    WHERE name = 'agents' AND tag = ? AND ord >= ?`,
  newestSessions: `SELECT doc FROM projection_rows INDEXED BY projection_rows_tag
    WHERE name = 'sessions' AND tag = 'all' ORDER BY ord DESC, key LIMIT ?`,
  sessionsByRef: `SELECT doc FROM projection_rows INDEXED BY projection_rows_ref
    WHERE name = 'sessions' AND ref = ? ORDER BY ord DESC, key LIMIT ?`,
  newestByRef: `SELECT doc FROM projection_rows INDEXED BY projection_rows_ref
    WHERE name = ? AND ref = ? ORDER BY ord DESC LIMIT 1`,
  groupsByRef: `SELECT grp FROM projection_rows INDEXED BY projection_rows_ref
    WHERE name = 'sessions' AND ref = ? ORDER BY grp`,
  agentsRow: `SELECT doc FROM projection_rows INDEXED BY projection_rows_key WHERE name = 'agents' AND key = ?`,
  /** A row's key begins with its group, so the index of keys keeps a group together. */
  ofGroup: `SELECT doc FROM projection_rows INDEXED BY projection_rows_key
    WHERE name = 'agents' AND key > ?1 || char(31) AND key < ?1 || char(32) AND grp = ?1 ORDER BY ord, key`,
} as const

/** Reads one page of the log, upwards or downwards. */
export function readEvents(statements: Statements, range: EventRange, filter: EventFilter): EventPage {
  return 'after' in range ? readUp(statements, range, filter) : readDown(statements, range, filter)
}

function readUp(
  statements: Statements,
  range: { after: number; limit: number },
  filter: EventFilter,
): EventPage {
  const { low, high, few } = findSpan(statements, filter)
  const end = Math.min(statements.last(), high)
  return walk(statements, filter, {
    from: Math.max(range.after, low - 1),
    limit: range.limit,
    few,
    sql: 'seq > ? AND seq <= ?',
    order: 'ASC',
    ended: (at) => at >= end,
    step: (at, window) => Math.min(end, at + window),
  })
}

function readDown(
  statements: Statements,
  range: { before: number; limit: number },
  filter: EventFilter,
): EventPage {
  const { low, high, few } = findSpan(statements, filter)
  const end = Math.max(statements.base() + 1, low)
  return walk(statements, filter, {
    from: Math.min(range.before, statements.last() + 1, high + 1),
    limit: range.limit,
    few,
    sql: 'seq < ? AND seq >= ?',
    order: 'DESC',
    ended: (at) => at <= end,
    step: (at, window) => Math.max(end, at - window),
  })
}

interface Walk {
  readonly from: number
  readonly limit: number
  /**
   * This is true when the span holds so few events that they are looked up by time instead of walking the
   * log.
   */
  readonly few: boolean
  readonly sql: string
  readonly order: 'ASC' | 'DESC'
  readonly ended: (at: number) => boolean
  readonly step: (at: number, window: number) => number
}

/**
 * Reads window by window until the page is full, the log ends, or the time is up. `next` tells where to
 * continue.
 */
function walk(statements: Statements, filter: EventFilter, walk: Walk): EventPage {
  const where = buildWhere(filter)
  const windowed = !walk.few && where.index === null && where.sql !== ''
  const window = windowed ? WINDOW : Number.MAX_SAFE_INTEGER
  const statement = statements.of(
    `${walk.few ? selectByTime(walk.sql) : selectInOrder(walk.sql, where.index)}${where.sql} ORDER BY seq ${walk.order} LIMIT ?`,
  )
  const times = walk.few ? timeBounds(filter) : []
  const rows: EventRow[] = []
  const patience = performance.now() + PATIENCE_MS
  let held = 0
  let at = walk.from
  while (!walk.ended(at)) {
    const edge = walk.step(at, window)
    const most = Math.min(walk.few ? walk.limit : CHUNK, walk.limit - rows.length)
    const parameters = [...times, at, edge, ...where.parameters, most]
    let found = 0
    // Rows found by time are iterated, so that the lookup is not repeated for each chunk.
    for (const row of walk.few ? statement.iterate(...parameters) : statement.all(...parameters)) {
      found += 1
      const body = String(row.body)
      rows.push(eventRow(Number(row.seq), body))
      held += body.length
      if (held >= PAGE_BYTES) break
    }
    const last = rows.at(-1)?.seq ?? at
    if (rows.length >= walk.limit || held >= PAGE_BYTES) return { rows, next: walk.ended(last) ? null : last }
    at = found < most ? edge : last
    if (found < most && performance.now() > patience) break
  }
  return { rows, next: walk.ended(at) ? null : at }
}

const selectInOrder = (range: string, index: string | null): string =>
  `SELECT seq, body FROM events ${index === null ? 'NOT INDEXED' : `INDEXED BY ${index}`} WHERE ts >= 0 AND ${range}`

const selectByTime = (range: string): string =>
  `SELECT seq, body FROM events NOT INDEXED WHERE seq IN
   (SELECT seq FROM events INDEXED BY events_ts WHERE ts >= ? AND ts < ? AND ${range})`

const eventRow = (seq: number, body: string): EventRow => ({ seq, json: `{"seq":${seq},${body.slice(1)}` })

type Parameter = string | number

interface Where {
  readonly sql: string
  readonly parameters: readonly Parameter[]
  /** The index that yields matching rows in order of seq. Without one, rows are examined in windows. */
  readonly index: 'events_session' | 'events_agent' | null
}

function buildWhere(filter: EventFilter): Where {
  const terms: string[] = []
  const parameters: Parameter[] = []
  const add = (term: string, ...values: readonly Parameter[]) => {
    terms.push(term)
    parameters.push(...values)
  }
  if (filter.session !== undefined) add('session_id = ?', filter.session)
  if (filter.agent !== undefined) add('agent_id = ?', filter.agent)
  if (filter.source !== undefined) add('source = ?', filter.source)
  if (filter.since !== undefined) add('ts >= ?', filter.since)
  if (filter.until !== undefined) add('ts < ?', filter.until)
  if (filter.failed) add('failed = 1')
  if (filter.kinds !== undefined) add(`event IN (${filter.kinds.map(() => '?').join(', ')})`, ...filter.kinds)
  if (filter.text) add("body LIKE ? ESCAPE '\\'", likePattern(filter.text))
  const ownAgent = filter.agent !== undefined && filter.agent !== 'main'
  if (ownAgent) terms.push("agent_id IS NOT NULL AND agent_id <> 'main'")
  const index = ownAgent ? 'events_agent' : filter.session !== undefined ? 'events_session' : null
  return { sql: terms.map((term) => ` AND ${term}`).join(''), parameters, index }
}

/** Bodies are JSON text, so the search text is escaped the way JSON escapes it. */
function likePattern(text: string): string {
  const written = JSON.stringify(text).slice(1, -1)
  return `%${written.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`
}

/** Up to this many events of a span are looked up one by one, wherever they are in the log. */
const FEW = 10_000
/** When a span has more events than this, only some are examined, and the log is walked without bounds. */
const MANY = 100_000

/**
 * Locates the events of a span in the log. Their timestamps are close to the order of the log, but not
 * identical with it.
 */
interface Span {
  readonly low: number
  readonly high: number
  readonly few: boolean
}

interface CachedSpan {
  readonly since: number
  readonly until: number
  readonly last: number
  readonly span: Span
}

const EVERYWHERE: Span = { low: 0, high: Number.MAX_SAFE_INTEGER - 1, few: false }
const NOWHERE: Span = { low: 1, high: 0, few: false }
const cachedSpans = new WeakMap<Statements, CachedSpan>()

const timeBounds = (filter: EventFilter): readonly [since: number, until: number] => [
  filter.since ?? 0,
  filter.until ?? Number.MAX_SAFE_INTEGER,
]

/**
 * The pages of one read ask for the same span, so the last answer is cached. A long span stays long as the
 * log grows.
 */
function findSpan(statements: Statements, filter: EventFilter): Span {
  if (filter.since === undefined && filter.until === undefined) return EVERYWHERE
  const [since, until] = timeBounds(filter)
  const last = statements.last()
  const before = cachedSpans.get(statements)
  if (before?.since === since && before.until === until)
    if (before.last === last || before.span === EVERYWHERE) return before.span
  const span = look(statements, since, until)
  cachedSpans.set(statements, { since, until, last, span })
  return span
}

function look(statements: Statements, since: number, until: number): Span {
  const row = statements
    .of(
      `SELECT count(*) AS count, min(seq) AS low, max(seq) AS high FROM
       (SELECT seq FROM events INDEXED BY events_ts WHERE ts >= ? AND ts < ? LIMIT ${MANY + 1})`,
    )
    .get(since, until)
  const count = Number(row?.count ?? 0)
  if (count === 0) return NOWHERE
  if (count > MANY) return EVERYWHERE
  return { low: Number(row?.low), high: Number(row?.high), few: count <= FEW }
}

export const selectAliveKeys = (table: string): string =>
  `SELECT key FROM ${table} INDEXED BY ${table}_alive WHERE name = ? AND grp = ? AND tag = 'alive' ORDER BY key`

export const selectKeys = (table: string): string =>
  `SELECT key FROM ${table} INDEXED BY ${table}_key WHERE name = ?1 AND key > ?2 || char(31) AND key < ?2 || char(32) AND grp = ?2 ORDER BY key`
