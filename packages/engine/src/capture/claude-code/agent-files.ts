import type { KeyedEvent } from '../hook.ts'
import { forgetOldest } from '../key.ts'
import { isAgentTool } from './agent-call.ts'
import type { HookPayload } from './payload.ts'
import { readSidecar, type Sidecar, sidecarFile } from './sidecar.ts'

/** Whose an agent is, by what the client wrote down when it made it: the call itself tells that only when it ends. */
export interface AgentFiles {
  readonly hear: (payload: HookPayload, arrived: number) => void
  /** Whether the agent of a payload has called a tool. */
  readonly worked: (payload: HookPayload) => boolean
  /** Reads the files of those that were heard of since, each once it is there. */
  readonly look: () => Promise<readonly KeyedEvent[]>
}

interface Heard {
  readonly session: string
  readonly agent: string
  readonly file: string
  readonly arrived: number
}

const MOST_TRIES = 5
const MOST_AGENTS = 10_000
const MOST_CALLS = 10_000
const MOST_WAITING = 256

export function createAgentFiles(source: string): AgentFiles {
  /** How often each agent's file was looked for; as often as allowed once it was read. */
  const tries = new Map<string, number>()
  const callers = new Map<string, string>()
  const waiting = new Map<string, Heard>()
  const workers = new Map<string, true>()

  const linkOf = ({ session, agent, arrived }: Heard, { call, parent, type, depth }: Sidecar): KeyedEvent => {
    const caller = call === undefined ? undefined : callers.get(nameOf(session, call))
    const maker = parent ?? caller ?? (depth === 1 ? 'main' : undefined)
    return {
      event: 'agent_link',
      source,
      session_id: session,
      key: `${source}:${session}:${agent}:agent_link:sidecar`,
      ts: arrived,
      id: agent,
      ...(maker === undefined || maker === agent ? {} : { parent_id: maker }),
      ...(call === undefined ? {} : { tool_use_id: call }),
      ...(type === undefined ? {} : { subagent_type: type }),
    }
  }

  const lookFor = async (name: string, heard: Heard): Promise<readonly KeyedEvent[]> => {
    const sidecar = await readSidecar(heard.file)
    if (sidecar === undefined) return []
    const link = linkOf(heard, sidecar)
    // Of an agent's agent the call may be heard of a little later; then the link says more.
    const isWhole = link.parent_id !== undefined || (tries.get(name) ?? 0) >= MOST_TRIES
    if (!isWhole && sidecar.call !== undefined) return []
    tries.set(name, MOST_TRIES)
    return sidecar.call === undefined && sidecar.parent === undefined ? [] : [link]
  }

  return {
    hear: ({ session_id: session, agent_id, tool_name, tool_use_id, transcript_path }, arrived) => {
      if (isAgentTool(tool_name) && tool_use_id) {
        callers.set(nameOf(session, tool_use_id), agent_id ?? 'main')
        forgetOldest(callers, MOST_CALLS)
      }
      if (agent_id && tool_use_id) {
        workers.set(nameOf(session, agent_id), true)
        forgetOldest(workers, MOST_AGENTS)
      }
      const file = agent_id && transcript_path ? sidecarFile(transcript_path, agent_id) : undefined
      if (!agent_id || file === undefined || waiting.size >= MOST_WAITING) return
      const name = nameOf(session, agent_id)
      if ((tries.get(name) ?? 0) < MOST_TRIES) waiting.set(name, { session, agent: agent_id, file, arrived })
    },
    worked: ({ session_id: session, agent_id }) => workers.has(nameOf(session, agent_id ?? 'main')),
    look: async () => {
      const heard = [...waiting]
      waiting.clear()
      for (const [name] of heard) tries.set(name, (tries.get(name) ?? 0) + 1)
      forgetOldest(tries, MOST_AGENTS)
      const found: KeyedEvent[] = []
      for (const [name, each] of heard) found.push(...(await lookFor(name, each)))
      return found
    },
  }
}

const nameOf = (session: string, id: string): string => `${session}\u001f${id}`
