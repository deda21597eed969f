import { homedir } from 'node:os'
import { basename, join } from 'node:path'
import { entriesOf } from '../folders.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** Where OpenCode keeps its sessions. */
export const openCodeHome = (env: Environment = process.env): string =>
  join(env.XDG_DATA_HOME || join(env.HOME || homedir(), '.local', 'share'), 'opencode')

/** Versions before their release have a database of their own, by the name of their channel. */
const DATABASE = /^opencode(?:-[\w.-]+)?\.db$/

/** The databases of a home; the one of released versions first. */
export async function databasesIn(home: string): Promise<readonly string[]> {
  const names = (await entriesOf(home)).filter((entry) => !entry.isDirectory() && DATABASE.test(entry.name))
  return names.map(({ name }) => join(home, name)).sort((a, b) => a.length - b.length || (a < b ? -1 : 1))
}

/** The files of versions before the database. They stay behind when their sessions are moved into it. */
export const storageIn = (home: string): string => join(home, 'storage')

export const OWNER = 'OpenCode'

/** A session's place names its database and its row, or the file it has. */
export const placeOf = (path: string, id: string): string => `${path}#${id}`

const SESSION_FOLDER = /[/\\]session[/\\][^/\\]+[/\\][^/\\]+\.json$/

/** The store that a place is in, and the id of its session there. */
export function placed(place: string): { readonly path: string; readonly id: string } {
  const at = place.lastIndexOf('.db#') + '.db'.length
  if (at < '.db'.length) return { path: place.replace(SESSION_FOLDER, ''), id: basename(place, '.json') }
  return { path: place.slice(0, at), id: place.slice(at + 1) }
}
