import { isAlive } from '@panoptes/schema/reading'
import type { AgentQuery, AgentRef } from '../port.ts'
import { ALIVE, ENDED, rowKey } from '../projections/index.ts'
import { rowQueries } from './row-queries.ts'
import type { Statements } from './statements.ts'

/** Agent rows that may answer the query, by the narrowest index: a session's in order of start, else the newest first. */
export function* agentDocs(statements: Statements, query: AgentQuery): Iterable<string> {
  if (query.of !== undefined) {
    yield* referred(statements, query.of)
    return
  }
  if (query.session !== undefined) {
    const ofGroup = statements.of(rowQueries.ofGroup)
    for (const source of sourcesOf(statements, query.session)) {
      for (const row of ofGroup.all(rowKey(source, query.session))) yield String(row.doc)
    }
    return
  }
  const byTag = statements.of(rowQueries.byTag)
  for (const tag of tagsOf(query)) for (const row of byTag.iterate(tag)) yield String(row.doc)
}

/** A session's id is its source's own, so two sources may use the same one. */
function sourcesOf(statements: Statements, session: string): readonly string[] {
  return statements
    .of(rowQueries.groupsByRef)
    .all(session)
    .map((row) => String(row.grp))
}

function tagsOf(query: AgentQuery): readonly string[] {
  if (query.states === undefined) return [ALIVE, ENDED]
  return [...new Set(query.states.map((state) => (isAlive(state) ? ALIVE : ENDED)))]
}

function* referred(statements: Statements, refs: readonly AgentRef[]): Iterable<string> {
  const one = statements.of("SELECT doc FROM projection_rows WHERE name = 'agents' AND key = ?")
  const group = statements.of(
    "SELECT doc FROM projection_rows WHERE name = 'agents' AND grp = ? ORDER BY ord, key",
  )
  for (const { source, session, id } of refs) {
    const key = rowKey(source, session)
    for (const row of id === undefined ? group.all(key) : one.all(rowKey(key, id))) yield String(row.doc)
  }
}
