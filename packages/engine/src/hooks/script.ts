import { chmod, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileFailure, makeFolder, type Paths, replaceFile } from '@panoptes/engine/home'
import { type Result, success } from '@panoptes/schema'

/**
 * Runs the script while it exists. The script lies in the home of Panoptes: without this guard every call of
 * an agent would report "not found" as a failed hook once the home is deleted or moved. The guard still reads
 * the agent's payload and exits with 0.
 */
const WHILE_THERE = `/bin/sh -c '[ -f "$0" ] && [ -x "$0" ] && exec "$0" "$@"; cat >/dev/null'`

/**
 * Returns the path of the script that agents run. It is a copy in the home, so that it survives an update of
 * the program.
 */
export const scriptFile = (paths: Paths): string => join(paths.hooks, 'panoptes-hook.sh')

/** Returns the path of the script that asks for a template when a session begins. */
export const templateScriptFile = (paths: Paths): string => join(paths.hooks, 'panoptes-template.sh')

/** Installs the script and returns whether it replaced a different one. */
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

/** Checks whether the script exists and is of this version. */
export async function scriptState(
  paths: Paths,
  shipped: string,
  file: string = scriptFile(paths),
): Promise<ScriptState> {
  const own = await readFile(shipped, 'utf8').catch(() => '')
  const placed = await readFile(file, 'utf8').catch(() => null)
  if (placed === null) return 'absent'
  if (placed === own) return 'current'
  return scriptVersion(placed) > scriptVersion(own) ? 'newer' : 'older'
}

/** The first version of the script had no number. */
const scriptVersion = (script: string): number => Number(/^# Version (\d+)$/m.exec(script)?.[1] ?? 1)

/**
 * Builds the command of a hook. It works for a client that runs it in a shell and for one that only splits it
 * into words.
 */
export const hookCommand = (script: string, words: readonly string[]): string =>
  [WHILE_THERE, ...[script, ...words].map(quoteWord)].join(' ')

/**
 * Returns true when a command that Panoptes wrote runs this script. Older versions wrote it without the
 * guard.
 */
export const runsScript = (command: string, script: string): boolean =>
  command.startsWith(`${quoteWord(script)} `) || command.startsWith(`${WHILE_THERE} ${quoteWord(script)} `)

/** Quotes a word for `sh`, with single quotes only where the word needs them. */
export const quoteWord = (word: string): string =>
  /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
