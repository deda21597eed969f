import { statSync } from 'node:fs'
import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'

/** Why a file that somebody named cannot be read. To open a pipe would wait for whoever writes to it. */
export function unreadable(path: string): Failure | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return failure('not_found', `There is no file ${path}. Check the path.`)
  return found.isFile()
    ? undefined
    : failure('invalid', `${path} is no file. Give the path of a state.db of Hermes.`)
}
