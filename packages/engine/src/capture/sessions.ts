import type { Ledger } from '@panoptes/engine/ledger'
import { agentOf, type Result, success } from '@panoptes/schema'
import type { CheckedLine } from './check.ts'

export const UNKNOWN_SESSION = 'unknown'

const MOST_KNOWN = 20_000
const ASK_AT_ONCE = 500

/** Every session has its own; they say nothing of which one. */
const NAMELESS: ReadonlySet<string> = new Set(['main', 'unknown'])

/** Finds the session of a line that does not say it. */
export interface SessionFinder {
  /** Asks the ledger, in few questions, for the agents that such lines name. */
  readonly prepare: (lines: readonly CheckedLine[]) => Promise<Result<SessionOf>>
}

/** Takes the prepared lines in their order: each also teaches which session its agent is in. */
export type SessionOf = (line: CheckedLine) => string

export function createSessionFinder(findAgents: Ledger['findAgents']): SessionFinder {
  const known = new Map<string, string>()

  const learn = (agent: string, session: string) => {
    if (known.get(agent) === session) return
    known.delete(agent)
    known.set(agent, session)
    if (known.size > MOST_KNOWN) known.delete(known.keys().next().value ?? '')
  }

  return {
    prepare: async (lines) => {
      // What these lines need stays here, however many others are learnt meanwhile.
      const agents = new Map<string, string>()
      const unknown = new Set<string>()
      for (const line of lines) {
        const agent = seedAgent(line)
        if (agent === undefined) continue
        const session = known.get(agent)
        if (session === undefined) unknown.add(agent)
        else agents.set(agent, session)
      }
      const asked = [...unknown]
      for (let at = 0; at < asked.length; at += ASK_AT_ONCE) {
        const found = await findAgents(asked.slice(at, at + ASK_AT_ONCE))
        if (!found.ok) return found
        for (const [agent, { session }] of found.value) {
          agents.set(agent, session)
          if (!known.has(agent)) learn(agent, session)
        }
      }
      const named = new Set<string>()
      return success((line) => {
        const session = ownSession(line) ?? seedSession(line, agents, named)
        const agent = agentOf(line.fields)
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

/** The agent by which a line without a session can be placed. */
function seedAgent(line: CheckedLine): string | undefined {
  if (line.fields.session_id != null) return undefined
  if (line.fields.event === 'agent_spawn' && typeof line.fields.parent_id === 'string') return undefined
  const agent = agentOf(line.fields)
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
  // A skill's agent is the session itself in the first vocabulary; a spawn's parent may be an agent, and stays one.
  return agents.get(agent) ?? (named.has(agent) ? agent : UNKNOWN_SESSION)
}
