import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'

/** What the system says of another program's file, with the way out. */
export function failureOf(error: unknown, place: string): Failure {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return failure('not_found', `${place} is no longer there.`)
  if (code === 'EACCES' || code === 'EPERM')
    return failure('read_only', `${place} may not be read by this user. Check its permissions.`)
  return failure('io', `${place} could not be read: ${message ?? String(error)}. Try again.`)
}
