import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileFailure, makeFolder, type Paths, replaceFile } from '@panoptes/engine/home'
import { type Result, success } from '@panoptes/schema'

/** The script that agents run: a copy in the home, so that it outlives an update of the program. */
export const scriptFile = (paths: Paths): string => join(paths.hooks, 'panoptes-hook.sh')

/** The one that asks for the template of a session that begins. */
export const templateScriptFile = (paths: Paths): string => join(paths.hooks, 'panoptes-template.sh')

/** Puts the script in its place; answers whether it was another one before. */
export async function placeScript(
  paths: Paths,
  shipped: string,
  file: string = scriptFile(paths),
): Promise<Result<boolean>> {
  try {
    const text = await readFile(shipped, 'utf8')
    const changed = (await readFile(file, 'utf8').catch(() => null)) !== text
    if (changed) {
      await makeFolder(paths.hooks)
      await replaceFile(file, text, 0o700)
    }
    await chmod(file, 0o700)
    return success(changed)
  } catch (error) {
    return fileFailure(error, file, 'write')
  }
}

export type ScriptState = 'current' | 'older' | 'newer' | 'absent'

/** Whether the script is there, and is the one of this version. */
export async function scriptState(
  paths: Paths,
  shipped: string,
  file: string = scriptFile(paths),
): Promise<ScriptState> {
  const own = await readFile(shipped, 'utf8').catch(() => '')
  const placed = await readFile(file, 'utf8').catch(() => null)
  if (placed === null) return 'absent'
  if (placed === own) return 'current'
  return versionOf(placed) > versionOf(own) ? 'newer' : 'older'
}

/** The first script had no number. */
const versionOf = (script: string): number => Number(/^# Version (\d+)$/m.exec(script)?.[1] ?? 1)
