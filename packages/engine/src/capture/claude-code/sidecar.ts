import { lstat, readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { isName } from '@panoptes/schema'
import { z } from 'zod'

/** What the client writes beside an agent's transcript as soon as it makes the agent; older ones say less. */
export interface Sidecar {
  /** The call that made it. */
  readonly call: string | undefined
  /** Who made the call, where it was an agent. */
  readonly parent: string | undefined
  readonly type: string | undefined
  /** 1 for an agent of the session's own agent. */
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
  spawnDepth: z.number().nullish().catch(undefined),
})

/** Where the file of an agent is, by the transcript of its session. */
export function sidecarFile(transcript: string, agent: string): string | undefined {
  if (!isAbsolute(transcript) || !transcript.endsWith(TRANSCRIPT) || !AGENT.test(agent)) return undefined
  return join(transcript.slice(0, -TRANSCRIPT.length), 'subagents', `agent-${agent}.meta.json`)
}

/** What the file says; nothing while it is missing or half written. */
export async function readSidecar(file: string): Promise<Sidecar | undefined> {
  try {
    const found = await lstat(file)
    if (!found.isFile() || found.size > LARGEST) return undefined
    const read = contents.safeParse(JSON.parse(await readFile(file, 'utf8')))
    if (!read.success) return undefined
    const { toolUseId, parentAgentId, agentType, spawnDepth } = read.data
    return {
      call: toolUseId ?? undefined,
      parent: parentAgentId ?? undefined,
      type: agentType ?? undefined,
      depth: spawnDepth ?? undefined,
    }
  } catch {
    return undefined
  }
}
