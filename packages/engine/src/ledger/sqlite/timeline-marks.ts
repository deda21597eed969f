import type { Timeline, TimelineMark } from '@panoptes/schema'
import type { TimelineQuery } from '../port.ts'
import { HIDDEN_SESSION, rowKey } from '../projections/index.ts'
import { rowQueries } from './row-queries.ts'
import type { Statements } from './statements.ts'

const MOST_MARKS = 300

type Kind = TimelineMark['kind']
type Row = Readonly<Record<string, unknown>>

const KIND_OF: Readonly<Record<string, Kind>> = {
  agent_spawn: 'spawn',
  agent_wait: 'wait',
  agent_stuck: 'stuck',
  agent_done: 'done',
  agent_lost: 'done',
}

/** What people look for comes first. Each rank has a share of its own, and what one leaves over goes to the next. */
const RANKS: readonly { readonly kinds: readonly Kind[]; readonly share: number }[] = [
  { kinds: ['failure'], share: 150 },
  { kinds: ['wait'], share: 90 },
  { kinds: ['stuck'], share: 30 },
  { kinds: ['done', 'spawn'], share: 30 },
]

/** The newest marks of a span, failures and waits before all others; how many were left out is said. */
export function marksOf(
  statements: Statements,
  query: TimelineQuery,
): Pick<Timeline, 'marks' | 'marks_left_out'> {
  const hidden = hiddenSince(statements, query.from)
  const ranks: Row[][] = RANKS.map(() => [])
  let all = 0
  for (const row of told(statements, query)) {
    if (hidden.has(groupOf(row))) continue
    all += 1
    const rank = ranks[RANKS.findIndex(({ kinds }) => kinds.includes(kindOf(row)))]
    if (rank !== undefined && rank.length < MOST_MARKS) rank.push(row)
  }
  const makers = new Map<string, Readonly<Record<string, string>>>()
  const marks = choose(ranks).map((row) => markOf(statements, makers, row))
  return {
    marks: marks.sort((one, other) => one.ts - other.ts || one.seq - other.seq),
    marks_left_out: all - marks.length,
  }
}

function* told(statements: Statements, query: TimelineQuery): Iterable<Row> {
  const session = query.session ?? null
  const span = [query.from, query.to, session, session]
  const columns = 'seq, ts, event, source, session_id, agent_id, failed'
  const failures = statements.of(
    `SELECT ${columns}, iif(agent_id IS NULL, body, NULL) AS body FROM events INDEXED BY events_failed
     WHERE failed = 1 AND event IN ('agent_done', 'agent_link')
       AND ts >= ? AND ts < ? AND (? IS NULL OR session_id = ?) ORDER BY ts DESC`,
  )
  yield* failures.iterate(...span)
  const others = statements.of(
    `SELECT ${columns} FROM events INDEXED BY events_told
     WHERE event IN ('agent_spawn', 'agent_wait', 'agent_stuck', 'agent_done', 'agent_lost') AND failed = 0
       AND ts >= ? AND ts < ? AND (? IS NULL OR session_id = ?) ORDER BY ts DESC`,
  )
  yield* others.iterate(...span)
}

function choose(ranks: readonly (readonly Row[])[]): Row[] {
  const chosen = ranks.flatMap((rows, rank) => rows.slice(0, RANKS[rank]?.share))
  const others = ranks.flatMap((rows, rank) => rows.slice(RANKS[rank]?.share))
  return [...chosen, ...others.slice(0, MOST_MARKS - chosen.length)]
}

const kindOf = (row: Row): Kind => (row.failed === 1 ? 'failure' : (KIND_OF[String(row.event)] ?? 'done'))

const groupOf = (row: Row): string => rowKey(String(row.source), String(row.session_id))

const markOf = (
  statements: Statements,
  makers: Map<string, Readonly<Record<string, string>>>,
  row: Row,
): TimelineMark => ({
  seq: Number(row.seq),
  ts: Number(row.ts),
  kind: kindOf(row),
  source: String(row.source),
  session_id: String(row.session_id),
  agent_id: typeof row.agent_id === 'string' ? row.agent_id : agentOf(statements, makers, row),
})

/** A call that failed names no agent: it is the one it made, or else the one that made the call. */
function agentOf(
  statements: Statements,
  makers: Map<string, Readonly<Record<string, string>>>,
  row: Row,
): string {
  if (typeof row.body !== 'string') return 'main'
  const { tool_use_id: call, parent_id: caller } = JSON.parse(row.body) as Row
  const group = groupOf(row)
  const made = makers.get(group) ?? madeIn(statements, group)
  makers.set(group, made)
  if (typeof call === 'string' && Object.hasOwn(made, call)) return made[call] ?? 'main'
  return typeof caller === 'string' ? caller : 'main'
}

function madeIn(statements: Statements, group: string): Readonly<Record<string, string>> {
  const doc = statements.of(rowQueries.agentsRow).get(group)?.doc
  return doc === undefined ? {} : ((JSON.parse(String(doc)) as { made?: Record<string, string> }).made ?? {})
}

/** Sessions that a hook started have nobody to jump to. */
function hiddenSince(statements: Statements, from: number): ReadonlySet<string> {
  const rows = statements.of(rowQueries.groupsByTagSince).all(HIDDEN_SESSION, from)
  return new Set(rows.map((row) => String(row.grp)))
}
