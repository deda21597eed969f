import type { Session, Spent } from '@panoptes/schema'
import type { Amount } from './by-model.ts'
import type { Gathered } from './gathered.ts'
import { spentOf } from './spent.ts'

interface Ended {
  readonly spent: Spent
  readonly agents: ReadonlyMap<string, { readonly messages: number; readonly spent: Spent }>
  readonly models: ReadonlyMap<string, Amount>
  /** As it is listed. */
  readonly doc: object
}

/** What a session that was told to its end amounts to. */
export function endedSession(session: Session, gathered: Gathered): Ended {
  const { messages, tool_calls, errors } = gathered
  const spent = spentOf(session, gathered.spent)
  // What a source says of the whole session is its only agent's.
  const agents =
    gathered.agents.size === 1
      ? new Map([...gathered.agents].map(([id, own]) => [id, { messages: own.messages, spent }]))
      : gathered.agents
  return {
    spent,
    agents,
    models: gathered.models.end(session, spent),
    doc: { ...session, messages, tool_calls, errors, spent, activity: gathered.activity() },
  }
}
