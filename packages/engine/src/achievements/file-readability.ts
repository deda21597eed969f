import { statSync } from 'node:fs'
import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'

/** Returns why a named file cannot be read. Opening a pipe would block. */
export function unreadable(path: string): Failure | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (found === undefined) return failure('not_found', `${path} does not exist. Check the path.`)
  return found.isFile()
    ? undefined
    : failure('invalid', `${path} is not a file. Pass the path of a Hermes state.db.`)
}
