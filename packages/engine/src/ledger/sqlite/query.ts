import type { EventFilter } from '../port.ts'

type Parameter = string | number

export interface Where {
  readonly sql: string
  readonly parameters: readonly Parameter[]
  /** The index that walks matching rows in seq order; without one, rows are looked at in windows. */
  readonly index: 'events_session' | 'events_agent' | null
}

export function whereOf(filter: EventFilter): Where {
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

/** Bodies are JSON text, so the words are looked for as JSON writes them. */
function likePattern(text: string): string {
  const written = JSON.stringify(text).slice(1, -1)
  return `%${written.replaceAll(/[\\%_]/g, (character) => `\\${character}`)}%`
}
