import type { Timeline } from '@panoptes/schema'
import type { TimelineQuery } from '../port.ts'
import { HIDDEN_SESSION } from '../projections/index.ts'
import { type Made, MarkChoice, type MarkRow, parseMade, sessionGroup } from '../timeline/marks.ts'
import { rowQueries } from './row-queries.ts'
import type { Statements } from './statements.ts'

/** Returns the newest marks of a span, failures and waits first, and how many were left out. */
export function readMarks(
  statements: Statements,
  query: TimelineQuery,
): Pick<Timeline, 'marks' | 'marks_left_out'> {
  const hidden = hiddenSince(statements, query.from)
  const choice = new MarkChoice()
  for (const row of markRows(statements, query)) if (!hidden.has(sessionGroup(row))) choice.add(row)
  const madeByGroup = new Map<string, Made>()
  return choice.marks((group) => {
    const made = madeByGroup.get(group) ?? madeIn(statements, group)
    madeByGroup.set(group, made)
    return made
  })
}

function* markRows(statements: Statements, query: TimelineQuery): Iterable<MarkRow> {
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
  return parseMade(doc === undefined ? undefined : String(doc))
}

/** Sessions that a hook started contain no agent to jump to. */
function hiddenSince(statements: Statements, from: number): ReadonlySet<string> {
  const rows = statements.of(rowQueries.groupsByTagSince).all(HIDDEN_SESSION, from)
  return new Set(rows.map((row) => String(row.grp)))
}
