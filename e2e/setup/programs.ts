import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Returns the first of these names that is a program in one of these folders, or else on the path. */
export async function findProgram(
  names: readonly string[],
  folders: readonly string[] = [],
): Promise<string | undefined> {
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  for (const name of names)
    for (const folder of [...folders, ...path]) {
      const candidate = join(folder, name)
      if (await isExecutable(candidate)) return candidate
    }
  return undefined
}
