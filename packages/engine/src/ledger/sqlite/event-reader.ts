import { PAGE_BYTES } from '../page-bytes.ts'
import type { EventFilter, EventPage, EventRange, EventRow } from '../port.ts'
import { whereOf } from './query.ts'
import type { Statements } from './statements.ts'
import { spanOf, timesOf } from './time-span.ts'

/** How many rows one window of an unindexed search looks at, and how long one page may look. */
const WINDOW = 10_000
const PATIENCE_MS = 60
/** Rows that are taken at a time: more may hold a lot more than the page takes, and one by one takes twice as long. */
const CHUNK = 64

/** One page of the log, upwards or downwards. */
export function readEvents(statements: Statements, range: EventRange, filter: EventFilter): EventPage {
  return 'after' in range ? readUp(statements, range, filter) : readDown(statements, range, filter)
}

function readUp(
  statements: Statements,
  range: { after: number; limit: number },
  filter: EventFilter,
): EventPage {
  const { low, high, few } = spanOf(statements, filter)
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
  const { low, high, few } = spanOf(statements, filter)
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
  /** Whether the asked time holds few events, so that they are found by their time and not by walking. */
  readonly few: boolean
  readonly sql: string
  readonly order: 'ASC' | 'DESC'
  readonly ended: (at: number) => boolean
  readonly step: (at: number, window: number) => number
}

/** Window by window, until the page is full, the log ends, or patience does; `next` says where to go on. */
function walk(statements: Statements, filter: EventFilter, walk: Walk): EventPage {
  const where = whereOf(filter)
  const windowed = !walk.few && where.index === null && where.sql !== ''
  const window = windowed ? WINDOW : Number.MAX_SAFE_INTEGER
  const statement = statements.of(
    `${walk.few ? byTime(walk.sql) : inOrder(walk.sql, where.index)}${where.sql} ORDER BY seq ${walk.order} LIMIT ?`,
  )
  const times = walk.few ? timesOf(filter) : []
  const rows: EventRow[] = []
  const patience = performance.now() + PATIENCE_MS
  let held = 0
  let at = walk.from
  while (!walk.ended(at)) {
    const edge = walk.step(at, window)
    const most = Math.min(walk.few ? walk.limit : CHUNK, walk.limit - rows.length)
    const asked = [...times, at, edge, ...where.parameters, most]
    let found = 0
    // What was found by its time is not looked up again for each chunk.
    for (const row of walk.few ? statement.iterate(...asked) : statement.all(...asked)) {
      found += 1
      const body = String(row.body)
      rows.push(rowOf(Number(row.seq), body))
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

const inOrder = (range: string, index: string | null): string =>
  `SELECT seq, body FROM events ${index === null ? 'NOT INDEXED' : `INDEXED BY ${index}`} WHERE ts >= 0 AND ${range}`

const byTime = (range: string): string =>
  `SELECT seq, body FROM events NOT INDEXED WHERE seq IN
   (SELECT seq FROM events INDEXED BY events_ts WHERE ts >= ? AND ts < ? AND ${range})`

const rowOf = (seq: number, body: string): EventRow => ({ seq, json: `{"seq":${seq},${body.slice(1)}` })
