import { listAgentFiles } from '@panoptes/engine/sources'
import type { KeyedEvent } from '../hook.ts'
import { forgetOldest } from '../idempotency-key.ts'
import { isAgentTool } from './agent-call.ts'
import type { HookPayload } from './payload.ts'
import { readSidecar, type Sidecar, sidecarFile } from './sidecar.ts'

/**
 * Finds the parent of an agent from the file that the client writes when it creates the agent. The call
 * itself reports it only at its end.
 */
export interface AgentFiles {
  /** With `looks` false, as for a row from long ago, the agent's file is not looked up. */
  readonly hear: (payload: HookPayload, arrived: number, looks?: boolean) => void
  /** Returns true when the agent of a payload has begun or called a tool. */
  readonly worked: (payload: HookPayload) => boolean
  /** Reads the files of agents that had events since the last look, each once it exists. */
  readonly look: () => Promise<readonly KeyedEvent[]>
}

interface AgentReport {
  readonly session: string
  readonly agent: string
  readonly file: string
  /** The transcript of the session. Workflows put the files of their agents in folders next to it. */
  readonly transcript: string
  readonly arrived: number
}

const MOST_TRIES = 5
const MOST_AGENTS = 10_000
const MOST_CALLS = 10_000
const MOST_WAITING = 256

export function createAgentFiles(source: string): AgentFiles {
  /**
   * Counts how often each agent's file was looked up. The count is set to the maximum once the file was read.
   */
  const tries = new Map<string, number>()
  const callers = new Map<string, string>()
  const waiting = new Map<string, AgentReport>()
  const workers = new Map<string, true>()

  const toLink = (
    { session, agent, arrived }: AgentReport,
    { call, parent, type, depth, label }: Sidecar,
  ): KeyedEvent => {
    const caller = call === undefined ? undefined : callers.get(entryKey(session, call))
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
      ...(label === undefined ? {} : { name: label }),
    }
  }

  const lookFor = async (name: string, heard: AgentReport): Promise<readonly KeyedEvent[]> => {
    const sidecar = (await readSidecar(heard.file)) ?? (await findNestedSidecar(heard))
    if (sidecar === undefined) return []
    const link = toLink(heard, sidecar)
    // The call of a nested agent may be reported a little later, and then the link has more fields.
    const isWhole = link.parent_id !== undefined || (tries.get(name) ?? 0) >= MOST_TRIES
    if (!isWhole && sidecar.call !== undefined) return []
    tries.set(name, MOST_TRIES)
    const says = sidecar.call ?? sidecar.parent ?? sidecar.label
    return says === undefined ? [] : [link]
  }

  return {
    hear: (payload, arrived, looks = true) => {
      const { session_id: session, agent_id, agent_type, tool_name, tool_use_id, transcript_path } = payload
      if (isAgentTool(tool_name) && tool_use_id) {
        callers.set(entryKey(session, tool_use_id), agent_id ?? 'main')
        forgetOldest(callers, MOST_CALLS)
      }
      const begins = payload.hook_event_name === 'SubagentStart' && agent_type !== ''
      if (agent_id && (tool_use_id || begins)) {
        workers.set(entryKey(session, agent_id), true)
        forgetOldest(workers, MOST_AGENTS)
      }
      if (!looks) return
      const file = agent_id && transcript_path ? sidecarFile(transcript_path, agent_id) : undefined
      if (!agent_id || !transcript_path || file === undefined || waiting.size >= MOST_WAITING) return
      const name = entryKey(session, agent_id)
      if ((tries.get(name) ?? 0) < MOST_TRIES)
        waiting.set(name, { session, agent: agent_id, file, transcript: transcript_path, arrived })
    },
    worked: ({ session_id: session, agent_id }) => workers.has(entryKey(session, agent_id ?? 'main')),
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

async function findNestedSidecar({ transcript, agent }: AgentReport): Promise<Sidecar | undefined> {
  const files = await listAgentFiles(transcript).catch(() => [])
  const file = files.find(({ id }) => id === agent)
  return file === undefined ? undefined : readSidecar(file.meta)
}

const entryKey = (session: string, id: string): string => `${session}\u001f${id}`
