import type { EventStore } from '@panoptes/engine/store'
import { type Result, readAgentId, success } from '@panoptes/schema'
import type { CheckedLine } from './check.ts'

export const UNKNOWN_SESSION = 'unknown'

const MAX_CACHED = 20_000
const ASK_AT_ONCE = 500

/** Every session has agents with these names, so they identify no session. */
const NAMELESS: ReadonlySet<string> = new Set(['main', 'unknown'])

/** Finds the session of a line that does not name it. */
export interface SessionFinder {
  /** Looks up the agents of such lines in the store with few queries. */
  readonly prepare: (lines: readonly CheckedLine[]) => Promise<Result<SessionOf>>
}

/** Takes the prepared lines in order; each line also teaches the finder its agent's session. */
export type SessionOf = (line: CheckedLine) => string

export function createSessionFinder(findAgents: EventStore['findAgents']): SessionFinder {
  const sessionByAgent = new Map<string, string>()

  const learn = (agent: string, session: string) => {
    if (sessionByAgent.get(agent) === session) return
    sessionByAgent.delete(agent)
    sessionByAgent.set(agent, session)
    if (sessionByAgent.size > MAX_CACHED) sessionByAgent.delete(sessionByAgent.keys().next().value ?? '')
  }

  return {
    prepare: async (lines) => {
      // The sessions these lines need stay here, however many others are learnt meanwhile.
      const agents = new Map<string, string>()
      const unknown = new Set<string>()
      for (const line of lines) {
        const agent = seedAgent(line)
        if (agent === undefined) continue
        const session = sessionByAgent.get(agent)
        if (session === undefined) unknown.add(agent)
        else agents.set(agent, session)
      }
      const wanted = [...unknown]
      for (let at = 0; at < wanted.length; at += ASK_AT_ONCE) {
        const found = await findAgents(wanted.slice(at, at + ASK_AT_ONCE))
        if (!found.ok) return found
        for (const [agent, { session }] of found.value) {
          agents.set(agent, session)
          if (!sessionByAgent.has(agent)) learn(agent, session)
        }
      }
      const named = new Set<string>()
      return success((line) => {
        const session = ownSession(line) ?? seedSession(line, agents, named)
        const agent = readAgentId(line.fields)
        if (session === UNKNOWN_SESSION) return session
        if (agent !== undefined && !NAMELESS.has(agent)) {
          agents.set(agent, session)
          learn(agent, session)
        }
        named.add(session)
        return session
      })
    },
  }
}

function ownSession({ fields }: CheckedLine): string | undefined {
  return typeof fields.session_id === 'string' ? fields.session_id : undefined
}

/** Returns the agent by which a line without a session can be assigned. */
function seedAgent(line: CheckedLine): string | undefined {
  if (line.fields.session_id != null) return undefined
  if (line.fields.event === 'agent_spawn' && typeof line.fields.parent_id === 'string') return undefined
  const agent = readAgentId(line.fields)
  return agent !== undefined && !NAMELESS.has(agent) ? agent : undefined
}

function seedSession(
  line: CheckedLine,
  agents: ReadonlyMap<string, string>,
  named: ReadonlySet<string>,
): string {
  const { parent_id: parent } = line.fields
  if (line.fields.event === 'agent_spawn' && typeof parent === 'string') return parent
  const agent = seedAgent(line)
  if (agent === undefined) return UNKNOWN_SESSION
  // In the first vocabulary a skill's agent is the session itself. A spawn's parent may be an agent and stays
  // one.
  return agents.get(agent) ?? (named.has(agent) ? agent : UNKNOWN_SESSION)
}
