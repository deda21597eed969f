import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { textOf } from '../fields.ts'
import { jsonLines } from '../json-lines.ts'
import { type AgentFile, agentFilesBeside, agentFilesOf } from './places.ts'

/** A folder that changed so lately may have changed again at the same time by its clock. */
const SETTLED_MS = 100
const CHUNK = 16_384

interface Look {
  /** When the folder had changed last; nothing where that may not be all. */
  readonly of: number | undefined
  readonly agents: ReadonlyMap<string, readonly AgentFile[]>
}

/** Older clients kept the files of agents beside those of sessions: whose they are is in their rows. */
export class Strays {
  /** By the path of the agent's file: it does not change. */
  readonly #sessions = new Map<string, string>()
  readonly #looks = new Map<string, Look>()

  /** All files of the agents of a transcript. */
  async agentsOf(session: string, path: string): Promise<readonly AgentFile[]> {
    const { agents } = await this.#look(dirname(path))
    return [...(await agentFilesOf(path)), ...(agents.get(session) ?? [])]
  }

  /** The agents that are beside the sessions of a project. */
  async in(folder: string): Promise<ReadonlyMap<string, readonly AgentFile[]>> {
    return (await this.#look(folder)).agents
  }

  async #look(folder: string): Promise<Look> {
    const changed = (await stat(folder).catch(() => undefined))?.mtimeMs
    const known = this.#looks.get(folder)
    if (changed !== undefined && known?.of === changed) return known
    let settled = changed !== undefined && Date.now() - changed > SETTLED_MS
    const agents = new Map<string, AgentFile[]>()
    for (const file of await agentFilesBeside(folder)) {
      const session = this.#sessions.get(file.path) ?? (await this.#learn(file.path))
      settled &&= session !== undefined
      if (session !== undefined && agents.get(session)?.push(file) === undefined) agents.set(session, [file])
    }
    const look = { of: settled ? changed : undefined, agents }
    this.#looks.set(folder, look)
    return look
  }

  async #learn(path: string): Promise<string | undefined> {
    const session = await sessionIn(path).catch(() => null)
    if (session === null) return undefined
    this.#sessions.set(path, session)
    return session
  }
}

async function sessionIn(path: string): Promise<string | null> {
  for await (const each of jsonLines(path, undefined, CHUNK)) {
    const session = 'value' in each ? textOf(each.value.sessionId) : null
    if (session !== null) return session
  }
  return null
}
