import { readdir, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'

type Environment = Readonly<Record<string, string | undefined>>

/** Where Hermes keeps its state. */
export function hermesHome(env: Environment = process.env, platform: string = process.platform): string {
  if (env.HERMES_HOME) return env.HERMES_HOME
  if (platform === 'win32' && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, 'hermes')
  return join(env.HOME || homedir(), '.hermes')
}

const STATE_FILE = 'state.db'

export interface StateFile {
  readonly path: string
  /** The name of the profile; null for the database without one. */
  readonly profile: string | null
}

/** Lists the databases of a home: its own first, then those of its profiles by name. */
export async function stateFilesIn(home: string): Promise<readonly StateFile[]> {
  const profiles = join(home, 'profiles')
  const names = (await namesIn(profiles)).filter((name) => !name.startsWith('.')).sort()
  const files: StateFile[] = [
    { path: join(home, STATE_FILE), profile: null },
    ...names.map((profile) => ({ path: join(profiles, profile, STATE_FILE), profile })),
  ]
  const there = await Promise.all(files.map(({ path }) => isFile(path)))
  return files.filter((_, at) => there[at])
}

const isGone = (error: unknown): boolean =>
  ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isGone(error)) return []
    throw error
  }
}

/** A path that cannot be checked counts as a file; opening it then gives the reason. */
const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    (error) => !isGone(error),
  )

/** The place of a session names its database and its row. */
export const formatPlace = (path: string, id: string): string => `${path}#${id}`

export function placed(place: string): { readonly path: string; readonly id: string } {
  const at = place.indexOf(`${STATE_FILE}#`) + STATE_FILE.length
  return { path: place.slice(0, at), id: place.slice(at + 1) }
}
