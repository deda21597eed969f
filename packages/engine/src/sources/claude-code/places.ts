import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { entriesOf } from '../folders.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where the client keeps its transcripts: a folder for each project. */
export const projectsFolder = (env: Environment = process.env): string =>
  join(env.CLAUDE_CONFIG_DIR || join(env.HOME || homedir(), '.claude'), 'projects')

const TRANSCRIPT = '.jsonl'
const AGENT = 'agent-'
/** Workflows nest folders of agents; a link that leads back must not lead on for ever. */
const MOST_DEPTH = 6

export interface Transcript {
  readonly session: string
  readonly path: string
  /** Whether there is a folder beside it, in which the files of its agents may be. */
  readonly folder: boolean
}

export const transcriptPath = (folder: string, session: string): string =>
  join(folder, `${session}${TRANSCRIPT}`)

/** The transcripts of a project's folder. */
export async function transcriptsIn(folder: string): Promise<readonly Transcript[]> {
  const entries = await entriesOf(folder)
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

/** The agents' files that belong to a transcript, in the order of their ids. */
export const agentFilesOf = (transcript: string): Promise<readonly AgentFile[]> =>
  agentFilesIn(join(transcript.slice(0, -TRANSCRIPT.length), 'subagents'), MOST_DEPTH)

/** Those that are among the transcripts of a project. */
export const agentFilesBeside = (folder: string): Promise<readonly AgentFile[]> => agentFilesIn(folder, 1)

async function agentFilesIn(folder: string, depth: number): Promise<readonly AgentFile[]> {
  const found: AgentFile[] = []
  for (const entry of await entriesOf(folder)) {
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
