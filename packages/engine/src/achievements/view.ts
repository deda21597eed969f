import { isAbsolute, join, relative, resolve } from 'node:path'
import { hermesHome, stateFilesIn } from '@panoptes/engine/sources'
import type { AchievementsView } from '@panoptes/schema'
import { zoneName } from './calendar.ts'
import type { HistorySpec } from './history.ts'

/** Whose sessions count. */
export interface View {
  readonly source: AchievementsView
  /** Another database than the one of Hermes' home; it has a state of its own. */
  readonly hermesDb?: string | undefined
  /** Another time zone than the one that is meant where nobody says; it has unlocks of its own. */
  readonly zone?: string | undefined
}

/** A view by the one name it has. */
export interface NamedView extends View {
  /** The name under which its unlocks are kept. */
  readonly key: string
  /** The same whatever the clock: the sessions that count are the same. */
  readonly sessions: string
  /** They are those that a hub keeps. */
  readonly isStored: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** By which names views go. */
export interface Naming {
  /** The zone that is meant where nobody says. */
  readonly zone: string
  readonly otherHome: string | undefined
  readonly isStored: boolean
}

export function namedView(
  { source, hermesDb, zone: asked }: View,
  { zone, otherHome, isStored }: Naming,
): NamedView {
  const other = asked === undefined || zoneName(asked) === zone ? undefined : zoneName(asked)
  const of = hermesDb === undefined ? otherHome && ` of ${otherHome}` : ` ${hermesDb}`
  const sessions = `${source}${of ?? ''}`
  return {
    source,
    hermesDb,
    zone: other,
    sessions,
    isStored,
    key: other === undefined ? sessions : `${sessions}\n${other}`,
  }
}

const OTHER_SOURCES = ['claude-code', 'codex', 'opencode', 'panoptes'] as const

/** Since when a view counts that was reset; its sessions are then counted for it alone. */
export type SinceOf = (sessions: string) => string | undefined

const homeOf = (env: Environment): string => resolve(hermesHome(env))

/** The database of Hermes' home. */
export const ownDatabase = (env: Environment): string => join(homeOf(env), 'state.db')

/**
 * Where the sessions of a view are. Hermes alone is its own database; together with the others it is all of its profiles. A hub has
 * no database of Hermes: there its sessions are read as those of any other agent.
 */
export async function specsOf(
  view: NamedView,
  env: Environment,
  sinceOf: SinceOf,
): Promise<readonly HistorySpec[]> {
  const { source, hermesDb } = view
  const stored = (name: string): HistorySpec => ({
    kind: 'source',
    scope: scopeOf(name, view, sinceOf),
    name,
  })
  if (view.isStored) return (source === 'hermes' ? ['hermes'] : ['hermes', ...OTHER_SOURCES]).map(stored)
  const hermes = (path: string): HistorySpec => ({
    kind: 'hermes',
    scope: hermesScope(view, path, sinceOf),
    path,
  })
  if (source === 'hermes') return [hermes(hermesDb ?? ownDatabase(env))]
  const files =
    hermesDb === undefined ? (await stateFilesIn(homeOf(env))).map(({ path }) => path) : [hermesDb]
  return [...files.map(hermes), ...OTHER_SOURCES.map(stored)]
}

/** Views share what was counted of a session, until one of them begins anew. */
function scopeOf(name: string, { sessions }: NamedView, sinceOf: SinceOf): string {
  const since = sinceOf(sessions)
  return since === undefined ? name : `${name}\n${sessions}\n${since}`
}

export const hermesScope = (view: NamedView, path: string, sinceOf: SinceOf): string =>
  scopeOf(`hermes ${path}`, view, sinceOf)

/** Only what is of this computer's own sessions is written into files; Hermes' own have the names that Hermes gave them. */
export function filesOf({ source, hermesDb, zone }: View, folder: string | undefined) {
  if (folder === undefined || hermesDb !== undefined || zone !== undefined) return undefined
  if (source !== 'hermes') return { snapshot: join(folder, 'scan_snapshot_all.json'), state: undefined }
  return { snapshot: join(folder, 'scan_snapshot.json'), state: join(folder, 'state.json') }
}

export const checkpointFile = (folder: string): string => join(folder, 'scan_checkpoint.json')

/** Whether a file is somewhere in a folder. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '' && !way.startsWith('..') && !isAbsolute(way)
}
