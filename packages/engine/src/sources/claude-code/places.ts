import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { readEntries } from '../folders.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where the client keeps its transcripts, in one folder per project. */
export const projectsFolder = (env: Environment = process.env): string =>
  join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude'), 'projects')

/** Where the client keeps the prompts of all sessions. It stays when the client deletes transcripts. */
export const promptHistoryFile = (projects: string): string => join(dirname(projects), 'history.jsonl')

const TRANSCRIPT = '.jsonl'
const AGENT = 'agent-'
/** Workflows nest folders of agents; the limit stops links that lead back. */
export const MOST_DEPTH = 6

export interface Transcript {
  readonly session: string
  readonly path: string
  /** True when there is a folder next to it that may contain agent files. */
  readonly folder: boolean
}

export const transcriptPath = (folder: string, session: string): string =>
  join(folder, `${session}${TRANSCRIPT}`)

/** Lists the transcripts in a project's folder. */
export async function transcriptsIn(folder: string): Promise<readonly Transcript[]> {
  const entries = await readEntries(folder)
  const folders = new Set(entries.filter((entry) => !entry.isFile()).map(({ name }) => name))
  return entries
    .filter((entry) => entry.isFile() && entry.name.endsWith(TRANSCRIPT) && !entry.name.startsWith(AGENT))
    .map(({ name }) => {
      const session = basename(name, TRANSCRIPT)
      return { session, path: join(folder, name), folder: folders.has(session) }
    })
}

export interface AgentFile {
  readonly id: string
  readonly path: string
  readonly meta: string
}

/** Lists the agent files of a transcript by id. */
export const listAgentFiles = (transcript: string): Promise<readonly AgentFile[]> =>
  agentFilesIn(join(transcript.slice(0, -TRANSCRIPT.length), 'subagents'), MOST_DEPTH)

/** Lists the agent files that lie among a project's transcripts. */
export const agentFilesBeside = (folder: string): Promise<readonly AgentFile[]> => agentFilesIn(folder, 1)

async function agentFilesIn(folder: string, depth: number): Promise<readonly AgentFile[]> {
  const found: AgentFile[] = []
  for (const entry of await readEntries(folder)) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) {
      if (depth > 1) found.push(...(await agentFilesIn(path, depth - 1)))
    } else if (entry.isFile() && entry.name.startsWith(AGENT) && entry.name.endsWith(TRANSCRIPT)) {
      const id = entry.name.slice(AGENT.length, -TRANSCRIPT.length)
      found.push({ id, path, meta: `${path.slice(0, -TRANSCRIPT.length)}.meta.json` })
    }
  }
  return found.sort((a, b) => (a.path < b.path ? -1 : 1))
}
