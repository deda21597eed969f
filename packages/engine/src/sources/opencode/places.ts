import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { readEntries } from '../folders.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where OpenCode keeps its sessions. */
export const openCodeHome = (env: Environment = process.env): string =>
  join(env.XDG_DATA_HOME || join(env.HOME || homedir(), '.local', 'share'), 'opencode')

/** Preview versions have their own database, named after their channel. */
export const DATABASE = /^opencode(?:-[\w.-]+)?\.db$/

/** Lists the databases of a home, that of released versions first. */
export async function databasesIn(home: string): Promise<readonly string[]> {
  const names = (await readEntries(home)).filter((entry) => !entry.isDirectory() && DATABASE.test(entry.name))
  return names.map(({ name }) => join(home, name)).sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
}

/** The files of versions before the database. They remain after their sessions are moved into it. */
export const storageIn = (home: string): string => join(home, 'storage')

export const OWNER = 'OpenCode'

/** The place of a session names its database and row, or its file. */
export const formatPlace = (path: string, id: string): string => `${path}#${id}`

const SESSION_FOLDER = /[/\\]session[/\\][^/\\]+[/\\][^/\\]+\.json$/

/** Splits a place into its store and the id of the session. */
export function placed(place: string): { readonly path: string; readonly id: string } {
  const at = place.lastIndexOf('.db#') + '.db'.length
  if (at < '.db'.length) return { path: place.replace(SESSION_FOLDER, ''), id: basename(place, '.json') }
  return { path: place.slice(0, at), id: place.slice(at + 1) }
}
