import { join } from 'node:path'
import { hermesHome, stateFilesIn } from '@panoptes/engine/sources'
import type { AchievementsView } from '@panoptes/schema'
import type { HistorySpec } from './history.ts'

/** Whose sessions count. */
export interface View {
  readonly source: AchievementsView
  /** Another database than the one of Hermes' home; it has a state of its own. */
  readonly hermesDb?: string | undefined
  /** Another time zone than the one that is meant where nobody says; it has unlocks of its own. */
  readonly zone?: string | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

const OTHER_SOURCES = ['claude-code', 'codex', 'opencode'] as const

/** The name under which the unlocks of a view are kept. */
export const viewKey = ({ source, hermesDb, zone }: View): string =>
  `${source}${hermesDb === undefined ? '' : ` ${hermesDb}`}${zone === undefined ? '' : `\n${zone}`}`

const scopeOf = (path: string): string => `hermes ${path}`

/** Where the sessions of a view are. Hermes alone is its own database; together with the others it is all of its profiles. */
export async function specsOf({ source, hermesDb }: View, env: Environment): Promise<readonly HistorySpec[]> {
  const home = hermesHome(env)
  const own = hermesDb ?? join(home, 'state.db')
  const hermes = (path: string): HistorySpec => ({ kind: 'hermes', scope: scopeOf(path), path })
  if (source === 'hermes') return [hermes(own)]
  const files = hermesDb === undefined ? (await stateFilesIn(home)).map(({ path }) => path) : [hermesDb]
  return [
    ...files.map(hermes),
    ...OTHER_SOURCES.map((name): HistorySpec => ({ kind: 'source', scope: name, name })),
  ]
}

/** The database of Hermes' home. */
export const ownScope = (env: Environment): string => scopeOf(join(hermesHome(env), 'state.db'))

/** Only what is of this computer's own sessions is written into files; Hermes' own have the names that Hermes gave them. */
export function filesOf({ source, hermesDb, zone }: View, folder: string) {
  if (hermesDb !== undefined || zone !== undefined) return undefined
  if (source !== 'hermes') return { snapshot: join(folder, 'scan_snapshot_all.json'), state: undefined }
  return { snapshot: join(folder, 'scan_snapshot.json'), state: join(folder, 'state.json') }
}

export const checkpointFile = (folder: string): string => join(folder, 'scan_checkpoint.json')
