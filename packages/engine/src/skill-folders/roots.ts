import { homedir } from 'node:os'
import { isAbsolute, join, resolve } from 'node:path'
import { hermesHome } from '@panoptes/engine/sources'

type Environment = Readonly<Record<string, string | undefined>>

/** A folder that contains skills. */
export interface SkillRoot {
  readonly folder: string
  readonly of: 'claude-code' | 'project' | 'hermes' | 'named'
  /** Whether skills may lie one level deeper, in category folders. */
  readonly kinds: boolean
}

const MOST_PROJECTS = 500

/**
 * Lists the folders with skills: those of Claude Code, of the projects that sessions ran in, of Hermes, and
 * the configured ones.
 */
export function skillRoots(
  env: Environment,
  projects: readonly string[],
  named: readonly string[],
): readonly SkillRoot[] {
  const home = env.HOME || homedir()
  const claude = env.CLAUDE_CONFIG_DIR || join(home, '.claude')
  const ofProjects = [...new Set(projects)].filter((folder) => isAbsolute(folder)).slice(0, MOST_PROJECTS)
  return [
    { folder: join(claude, 'skills'), of: 'claude-code', kinds: false },
    { folder: join(hermesHome(env), 'skills'), of: 'hermes', kinds: true },
    ...named.map((folder): SkillRoot => ({ folder: placed(folder, home), of: 'named', kinds: true })),
    ...ofProjects.map(
      (folder): SkillRoot => ({ folder: join(folder, '.claude', 'skills'), of: 'project', kinds: false }),
    ),
  ]
}

const placed = (folder: string, home: string): string =>
  folder === '~' || folder.startsWith('~/') ? join(home, folder.slice(1)) : resolve(home, folder)
