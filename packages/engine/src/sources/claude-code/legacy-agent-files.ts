import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { toText } from '../fields.ts'
import { jsonLines } from '../json-lines.ts'
import { type AgentFile, agentFilesBeside, listAgentFiles } from './places.ts'

/** A folder that changed this recently may change again within the same time stamp. */
const SETTLED_MS = 100
const CHUNK = 16_384

interface Look {
  /** The folder's last change; undefined when the list may be incomplete. */
  readonly of: number | undefined
  readonly agents: ReadonlyMap<string, readonly AgentFile[]>
}

/** Finds agent files that older clients kept next to those of sessions. Their rows name the session. */
export class Strays {
  /** Sessions by the path of the agent's file, which never change. */
  readonly #sessions = new Map<string, string>()
  readonly #looks = new Map<string, Look>()

  /** Returns all agent files of a transcript. */
  async findAgentFiles(session: string, path: string): Promise<readonly AgentFile[]> {
    const { agents } = await this.#look(dirname(path))
    return [...(await listAgentFiles(path)), ...(agents.get(session) ?? [])]
  }

  /** Returns the agent files next to the sessions of a project, by session. */
  async in(folder: string): Promise<ReadonlyMap<string, readonly AgentFile[]>> {
    return (await this.#look(folder)).agents
  }

  async #look(folder: string): Promise<Look> {
    const changed = (await stat(folder).catch(() => undefined))?.mtimeMs
    const cached = this.#looks.get(folder)
    if (changed !== undefined && cached?.of === changed) return cached
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
    const session = 'value' in each ? toText(each.value.sessionId) : null
    if (session !== null) return session
  }
  return null
}
