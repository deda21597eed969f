import type { Timeline } from '@panoptes/schema'
import type { TimelineQuery } from '../port.ts'
import { HIDDEN_SESSION } from '../projections/index.ts'
import { groupOf, type Made, MarkChoice, madeOf, type Told } from '../timeline/marks.ts'
import { rowQueries } from './row-queries.ts'
import type { Statements } from './statements.ts'

/** The newest marks of a span, failures and waits before all others; how many were left out is said. */
export function marksOf(
  statements: Statements,
  query: TimelineQuery,
): Pick<Timeline, 'marks' | 'marks_left_out'> {
  const hidden = hiddenSince(statements, query.from)
  const choice = new MarkChoice()
  for (const row of told(statements, query)) if (!hidden.has(groupOf(row))) choice.add(row)
  const known = new Map<string, Made>()
  return choice.marks((group) => {
    const made = known.get(group) ?? madeIn(statements, group)
    known.set(group, made)
    return made
  })
}

function* told(statements: Statements, query: TimelineQuery): Iterable<Told> {
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

function madeIn(statements: Statements, group: string): Made {
  const doc = statements.of(rowQueries.agentsRow).get(group)?.doc
  return madeOf(doc === undefined ? undefined : String(doc))
}

/** Sessions that a hook started have nobody to jump to. */
function hiddenSince(statements: Statements, from: number): ReadonlySet<string> {
  const rows = statements.of(rowQueries.groupsByTagSince).all(HIDDEN_SESSION, from)
  return new Set(rows.map((row) => String(row.grp)))
}
