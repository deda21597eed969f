import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FoundSource } from '@panoptes/schema'
import { countFiles, many, presence } from './look.ts'
import type { Places } from './places.ts'

interface Kind {
  readonly id: string
  readonly name: string
  readonly folder: string
  /** What has to be readable for its sessions to be read. */
  readonly sessions: string
  readonly variable: string
  readonly describe: (sessions: string) => Promise<string>
}

const transcripts = (ending: string) => async (folder: string) =>
  many(await countFiles(folder, ending), 'session file')

const database = async (file: string) => {
  const { size } = await stat(file)
  return `session database of ${size < 1e6 ? `${Math.ceil(size / 1e3)} KB` : `${Math.round(size / 1e6)} MB`}`
}

const kinds = (places: Places): readonly Kind[] => [
  {
    id: 'hermes',
    name: 'Hermes Agent',
    folder: places.hermes,
    sessions: join(places.hermes, 'state.db'),
    variable: 'HERMES_HOME',
    describe: database,
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    folder: places.claudeCode,
    sessions: join(places.claudeCode, 'projects'),
    variable: 'CLAUDE_CONFIG_DIR',
    describe: transcripts('.jsonl'),
  },
  {
    id: 'codex',
    name: 'Codex',
    folder: places.codex,
    sessions: join(places.codex, 'sessions'),
    variable: 'CODEX_HOME',
    describe: transcripts('.jsonl'),
  },
  {
    id: 'opencode',
    name: 'OpenCode',
    folder: places.opencode,
    sessions: join(places.opencode, 'storage'),
    variable: 'XDG_DATA_HOME',
    describe: transcripts('.json'),
  },
]

/** The agents that leave sessions on this computer. Nothing is opened for writing, and nothing is read but names. */
export function findAgents(places: Places): Promise<readonly FoundSource[]> {
  return Promise.all(kinds(places).map(look))
}

async function look(kind: Kind): Promise<FoundSource> {
  const { id, name, folder, sessions, variable } = kind
  const base = { id, name, kind: 'agent' } as const
  const home = await presence(folder)
  if (home === 'absent') {
    const next = `If it keeps its files elsewhere, set ${variable} before panoptes up.`
    return { ...base, state: 'absent', path: null, detail: `Nothing at ${folder}`, next }
  }
  const inside = home === 'found' ? await presence(sessions) : home
  if (inside === 'unreadable') {
    const path = home === 'unreadable' ? folder : sessions
    const next = `Let this user read ${path}, then start Panoptes again.`
    return { ...base, state: 'unreadable', path, detail: `No permission to read ${path}`, next }
  }
  if (inside === 'absent') {
    return { ...base, state: 'found', path: folder, detail: 'Installed, no sessions yet', next: null }
  }
  const detail = await kind.describe(sessions).catch(() => 'Sessions are there')
  return { ...base, state: 'found', path: folder, detail, next: null }
}
