import { constants } from 'node:fs'
import { access, opendir, readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { readRegular } from '@panoptes/engine/home'
import type { FoundSource } from '@panoptes/schema'

interface Kind {
  readonly id: string
  readonly name: string
  readonly folder: string
  /** The paths to look for sessions in; the first one that exists counts. */
  readonly sessions: readonly Place[]
  readonly variable: string
  /** The file that `panoptes hooks install` creates when it does not exist. */
  readonly settings?: string
}

interface Place {
  readonly path: string
  readonly describe: () => Promise<string>
}

export type Environment = Readonly<Record<string, string | undefined>>

/** The folders in which each agent keeps its sessions, resolved the way the agent resolves them. */
interface Places {
  readonly hermes: string
  readonly claudeCode: string
  readonly codex: string
  readonly opencode: string
}

const transcripts = (path: string, ...endings: readonly string[]): Place => ({
  path,
  describe: async () => many(await countFiles(path, endings), 'session file'),
})

/**
 * Claude Code keeps one file per session in the project's folder. Agent files lie deeper and have their own
 * name pattern.
 */
const claudeCodePlace = (path: string): Place => ({
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
    settings: 'config.yaml',
  },
  {
    id: 'claude-code',
    name: 'Claude Code',
    folder: places.claudeCode,
    sessions: [claudeCodePlace(join(places.claudeCode, 'projects'))],
    variable: 'CLAUDE_CONFIG_DIR',
    settings: 'settings.json',
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

/**
 * Finds the agents that leave sessions on this computer. It opens nothing for writing.
 */
export function findAgents(places: Places): Promise<readonly FoundSource[]> {
  return Promise.all(kinds(places).map(look))
}

async function look(kind: Kind): Promise<FoundSource> {
  const { id, name, folder, sessions, variable } = kind
  const base = { id, name, kind: 'agent' } as const
  const home = await presence(folder)
  if (home === 'unreadable') return refused(base, folder)
  if (home === 'absent' || (await isUnused(kind))) {
    const next = `If its files are elsewhere, set ${variable} before panoptes up.`
    const detail = home === 'absent' ? `Nothing at ${folder}` : `No files of ${name} in ${folder}`
    return { ...base, state: 'absent', path: null, detail, next }
  }
  for (const { path, describe } of sessions) {
    const there = await presence(path)
    if (there === 'unreadable') return refused(base, path)
    if (there === 'absent') continue
    const detail = await describe().catch(() => 'Has sessions')
    return { ...base, state: 'found', path: folder, detail, next: null }
  }
  return { ...base, state: 'found', path: folder, detail: 'Installed, no sessions yet', next: null }
}

/** The hooks of Panoptes run its scripts or post to its address. */
const HOOKS_OF_PANOPTES = /panoptes-(?:hook|template)\.sh|\/hooks\/(?:hermes|claude-code)\b/

/** Returns true if the folder is empty or holds only settings that Panoptes created for its hooks. */
async function isUnused({ folder, settings }: Kind): Promise<boolean> {
  try {
    const names = await readdir(folder)
    if (names.length === 0) return true
    if (settings === undefined || names.length > 1 || names[0] !== settings) return false
    return HOOKS_OF_PANOPTES.test(await readRegular(join(folder, settings)))
  } catch {
    return false
  }
}

function refused(base: Pick<FoundSource, 'id' | 'name' | 'kind'>, path: string): FoundSource {
  const next = `Allow this user to read ${path}, then restart Panoptes.`
  return { ...base, state: 'unreadable', path, detail: `No permission to read ${path}`, next }
}

type Presence = 'found' | 'absent' | 'unreadable'

/** Checks whether a file or folder exists and this user may read it. */
async function presence(path: string): Promise<Presence> {
  try {
    const found = await stat(path)
    await access(path, found.isDirectory() ? constants.R_OK | constants.X_OK : constants.R_OK)
    return 'found'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'absent' : 'unreadable'
  }
}

interface FileCount {
  readonly files: number
  /** This is true when more files exist than were counted. */
  readonly more: boolean
}

interface Counting {
  readonly limit?: number
  /** The count enters this many levels of folders, including the first. */
  readonly depth?: number
  /** Names with this prefix are not counted. */
  readonly but?: string
}

/** Counts the files with given extensions below a folder, up to a limit. */
export async function countFiles(
  folder: string,
  endings: readonly string[],
  { limit = 2_000, depth = Number.POSITIVE_INFINITY, but }: Counting = {},
): Promise<FileCount> {
  const isCounted = (name: string): boolean =>
    endings.some((ending) => name.endsWith(ending)) && !(but !== undefined && name.startsWith(but))
  let files = 0
  let seen = 0
  const open = [{ path: folder, at: 1 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    try {
      for await (const entry of await opendir(next.path)) {
        seen += 1
        if (entry.isDirectory()) {
          if (next.at < depth) open.push({ path: join(next.path, entry.name), at: next.at + 1 })
        } else if (isCounted(entry.name)) files += 1
        if (files >= limit || seen >= limit * 10) return { files, more: true }
      }
    } catch {
      // Unreadable folders are skipped here; the sources report them when they read.
    }
  }
  return { files, more: false }
}

const many = ({ files, more }: FileCount, what: string): string => {
  const number = files.toLocaleString('en-US')
  if (more) return `more than ${number} ${what}s`
  return files === 1 ? `1 ${what}` : `${files === 0 ? 'no' : number} ${what}s`
}

export function agentPlaces(env: Environment): Places {
  const home = env.HOME || homedir()
  return {
    hermes: env.HERMES_HOME || join(home, '.hermes'),
    claudeCode: env.CLAUDE_CONFIG_DIR || join(home, '.claude'),
    codex: env.CODEX_HOME || join(home, '.codex'),
    opencode: join(env.XDG_DATA_HOME || join(home, '.local', 'share'), 'opencode'),
  }
}
