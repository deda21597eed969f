import type { EventFilter } from '../port.ts'
import type { Statements } from './statements.ts'

/** Up to this many events of a span are looked up one by one, wherever they lie. */
const FEW = 10_000
/** Of more than this only a part is looked at: the log is then walked without bounds. */
const MANY = 100_000

/** Where the events of a span of time lie. Their clock is near their order, but not the same. */
export interface Span {
  readonly low: number
  readonly high: number
  readonly few: boolean
}

interface Known {
  readonly since: number
  readonly until: number
  readonly last: number
  readonly span: Span
}

const EVERYWHERE: Span = { low: 0, high: Number.MAX_SAFE_INTEGER - 1, few: false }
const NOWHERE: Span = { low: 1, high: 0, few: false }
const known = new WeakMap<Statements, Known>()

export const timesOf = (filter: EventFilter): readonly [since: number, until: number] => [
  filter.since ?? 0,
  filter.until ?? Number.MAX_SAFE_INTEGER,
]

/** The pages of one reading ask for the same span, so the last answer is kept; a long span stays long as the log grows. */
export function spanOf(statements: Statements, filter: EventFilter): Span {
  if (filter.since === undefined && filter.until === undefined) return EVERYWHERE
  const [since, until] = timesOf(filter)
  const last = statements.last()
  const before = known.get(statements)
  if (before?.since === since && before.until === until)
    if (before.last === last || before.span === EVERYWHERE) return before.span
  const span = look(statements, since, until)
  known.set(statements, { since, until, last, span })
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
