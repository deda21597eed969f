import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FoundSource } from '@panoptes/schema'
import { countFiles, many, presence } from './look.ts'
import type { Places } from './places.ts'

interface Kind {
  readonly id: string
  readonly name: string
  readonly folder: string
  /** What has to be readable for its sessions to be read: the first of these that is there. */
  readonly sessions: readonly Place[]
  readonly variable: string
}

interface Place {
  readonly path: string
  readonly describe: () => Promise<string>
}

const transcripts = (path: string, ...endings: readonly string[]): Place => ({
  path,
  describe: async () => many(await countFiles(path, endings), 'session file'),
})

/** One file a session, in the folder of its project; deeper down, and by that name, are those of its agents. */
const ofClaudeCode = (path: string): Place => ({
  path,
  describe: async () => many(await countFiles(path, ['.jsonl'], { depth: 2, but: 'agent-' }), 'session file'),
})

const database = (path: string): Place => ({
  path,
  describe: async () => {
    const { size } = await stat(path)
    return `session database of ${size < 1e6 ? `${Math.ceil(size / 1e3)} KB` : `${Math.round(size / 1e6)} MB`}`
  },
})

const kinds = (places: Places): readonly Kind[] => [
  {
    id: 'hermes',
    name: 'Hermes Agent',
    folder: places.hermes,
    sessions: [database(join(places.hermes, 'state.db'))],
    variable: 'HERMES_HOME',
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    folder: places.claudeCode,
    sessions: [ofClaudeCode(join(places.claudeCode, 'projects'))],
    variable: 'CLAUDE_CONFIG_DIR',
  },
  {
    id: 'codex',
    name: 'Codex',
    folder: places.codex,
    sessions: [
      transcripts(join(places.codex, 'sessions'), '.jsonl', '.jsonl.zst'),
      transcripts(join(places.codex, 'archived_sessions'), '.jsonl', '.jsonl.zst'),
    ],
    variable: 'CODEX_HOME',
  },
  {
    id: 'opencode',
    name: 'OpenCode',
    folder: places.opencode,
    sessions: [
      database(join(places.opencode, 'opencode.db')),
      transcripts(join(places.opencode, 'storage', 'session'), '.json'),
    ],
    variable: 'XDG_DATA_HOME',
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
  if (home === 'unreadable') return refused(base, folder)
  for (const { path, describe } of sessions) {
    const there = await presence(path)
    if (there === 'unreadable') return refused(base, path)
    if (there === 'absent') continue
    const detail = await describe().catch(() => 'Sessions are there')
    return { ...base, state: 'found', path: folder, detail, next: null }
  }
  return { ...base, state: 'found', path: folder, detail: 'Installed, no sessions yet', next: null }
}

function refused(base: Pick<FoundSource, 'id' | 'name' | 'kind'>, path: string): FoundSource {
  const next = `Let this user read ${path}, then start Panoptes again.`
  return { ...base, state: 'unreadable', path, detail: `No permission to read ${path}`, next }
}
