import { isAbsolute, join, relative, resolve } from 'node:path'
import { hermesHome, stateFilesIn } from '@panoptes/engine/sources'
import type { AchievementsView } from '@panoptes/schema'
import { zoneName } from './calendar.ts'
import type { HistorySpec } from './history.ts'

/** Selects the sessions that count. */
export interface View {
  readonly source: AchievementsView
  /** A database other than the one in Hermes' home; it has a state of its own. */
  readonly hermesDb?: string | undefined
  /** A time zone other than the default; it has unlocks of its own. */
  readonly zone?: string | undefined
}

/** A view with its unique name. */
export interface NamedView extends View {
  /** The key under which its unlocks are stored. */
  readonly key: string
  /** This name is the same for every time zone, because the same sessions count. */
  readonly sessions: string
  /** The sessions are those stored on a hub. */
  readonly isStored: boolean
}

type Environment = Readonly<Record<string, string | undefined>>

/** The settings that determine the names of views. */
export interface Naming {
  /** The default time zone. */
  readonly zone: string
  readonly otherHome: string | undefined
  readonly isStored: boolean
}

export function namedView(
  { source, hermesDb, zone: requested }: View,
  { zone, otherHome, isStored }: Naming,
): NamedView {
  const other = requested === undefined || zoneName(requested) === zone ? undefined : zoneName(requested)
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

/** Returns since when a reset view counts; its sessions are then counted for it alone. */
export type SinceOf = (sessions: string) => string | undefined

const homeFolder = (env: Environment): string => resolve(hermesHome(env))

/** The database in Hermes' home. */
export const ownDatabase = (env: Environment): string => join(homeFolder(env), 'state.db')

/**
 * Returns where the sessions of a view are. The view of Hermes has its own database only; the view
 * of all agents includes all profiles. A hub has no database of Hermes, so its sessions are read
 * like those of any other agent.
 */
export async function historySpecs(
  view: NamedView,
  env: Environment,
  findSince: SinceOf,
): Promise<readonly HistorySpec[]> {
  const { source, hermesDb } = view
  const stored = (name: string): HistorySpec => ({
    kind: 'source',
    scope: scopeName(name, view, findSince),
    name,
  })
  if (view.isStored) return (source === 'hermes' ? ['hermes'] : ['hermes', ...OTHER_SOURCES]).map(stored)
  const hermes = (path: string): HistorySpec => ({
    kind: 'hermes',
    scope: hermesScope(view, path, findSince),
    path,
  })
  if (source === 'hermes') return [hermes(hermesDb ?? ownDatabase(env))]
  const files =
    hermesDb === undefined ? (await stateFilesIn(homeFolder(env))).map(({ path }) => path) : [hermesDb]
  return [...files.map(hermes), ...OTHER_SOURCES.map(stored)]
}

/** Views share the counts of a session until one of them is reset. */
function scopeName(name: string, { sessions }: NamedView, findSince: SinceOf): string {
  const since = findSince(sessions)
  return since === undefined ? name : `${name}\n${sessions}\n${since}`
}

export const hermesScope = (view: NamedView, path: string, findSince: SinceOf): string =>
  scopeName(`hermes ${path}`, view, findSince)

/**
 * Only this computer's sessions are written to files; those for Hermes have the names that Hermes
 * uses.
 */
export function viewFiles({ source, hermesDb, zone }: View, folder: string | undefined) {
  if (folder === undefined || hermesDb !== undefined || zone !== undefined) return undefined
  if (source !== 'hermes') return { snapshot: join(folder, 'scan_snapshot_all.json'), state: undefined }
  return { snapshot: join(folder, 'scan_snapshot.json'), state: join(folder, 'state.json') }
}

export const checkpointFile = (folder: string): string => join(folder, 'scan_checkpoint.json')

/** True if a file is anywhere inside a folder. */
export function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way !== '' && !way.startsWith('..') && !isAbsolute(way)
}
