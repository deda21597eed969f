import { lstat, readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { isName } from '@panoptes/schema'
import { parseJson } from '@panoptes/schema/json'
import { z } from 'zod'

/**
 * The file that the client writes next to an agent's transcript when it creates the agent. Older versions
 * write fewer fields.
 */
export interface Sidecar {
  /** The call that created the agent. */
  readonly call: string | undefined
  /** The agent that made the call, if it was not the session's own. */
  readonly parent: string | undefined
  readonly type: string | undefined
  /** A few words about its task. */
  readonly label: string | undefined
  /** 1 for an agent that the session's own agent created. */
  readonly depth: number | undefined
}

const TRANSCRIPT = '.jsonl'
const AGENT = /^[A-Za-z0-9_-]{1,128}$/
const LARGEST = 65_536

const maybeName = z.string().refine(isName).nullish().catch(undefined)
const contents = z.looseObject({
  toolUseId: maybeName,
  parentAgentId: maybeName,
  agentType: maybeName,
  description: maybeName,
  spawnDepth: z.number().nullish().catch(undefined),
})

/** Returns the path of an agent's sidecar from the transcript of its session. */
export function sidecarFile(transcript: string, agent: string): string | undefined {
  if (!isAbsolute(transcript) || !transcript.endsWith(TRANSCRIPT) || !AGENT.test(agent)) return undefined
  return join(transcript.slice(0, -TRANSCRIPT.length), 'subagents', `agent-${agent}.meta.json`)
}

/** Reads the sidecar. Returns undefined while it is missing or incomplete. */
export async function readSidecar(file: string): Promise<Sidecar | undefined> {
  try {
    const found = await lstat(file)
    if (!found.isFile() || found.size > LARGEST) return undefined
    const read = contents.safeParse(parseJson(await readFile(file, 'utf8')))
    if (!read.success) return undefined
    const { toolUseId, parentAgentId, agentType, description, spawnDepth } = read.data
    return {
      call: toolUseId ?? undefined,
      parent: parentAgentId ?? undefined,
      type: agentType ?? undefined,
      label: description ?? undefined,
      depth: spawnDepth ?? undefined,
    }
  } catch {
    return undefined
  }
}
