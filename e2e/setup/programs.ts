import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { run } from './run.ts'

export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export interface ProgramSearch {
  /** Folders that are searched before those of the path. */
  readonly folders?: readonly string[]
  /** The oldest version that will do, like `[14]` or `[2, 9]`. */
  readonly minimum?: readonly number[]
  /** How the program is asked for its version. */
  readonly versionArgs?: readonly string[]
}

/**
 * Returns the first of these names that is a program that works. A file that can be executed may still not work: it
 * may only tell how to install the program, lack a library, or be too old.
 */
export async function findProgram(
  names: readonly string[],
  { folders = [], ...search }: ProgramSearch = {},
): Promise<string | undefined> {
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const name of names)
    for (const folder of [...folders, ...path]) {
      const candidate = join(folder, name)
      if ((await isExecutable(candidate)) && (await works(candidate, search))) return candidate
    }
  return undefined
}

async function works(
  program: string,
  { minimum = [], versionArgs = ['--version'] }: ProgramSearch,
): Promise<boolean> {
  const { code, output } = await run(program, versionArgs, { seconds: 20 })
  const version = /\d+(?:\.\d+)*/.exec(output)?.[0].split('.').map(Number)
  if (code !== 0 || version === undefined) return false
  const differing = minimum.findIndex((part, n) => version[n] !== part)
  return differing < 0 || (version[differing] ?? 0) > (minimum[differing] ?? 0)
}
