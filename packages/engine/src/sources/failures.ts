import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'

/** Describes a system error on another program's file, with advice. */
export function toFailure(error: unknown, place: string): Failure {
  const { code, message } = (error ?? {}) as NodeJS.ErrnoException
  if (code === 'ENOENT' || code === 'ENOTDIR') return failure('not_found', `${place} no longer exists.`)
  if (code === 'EACCES' || code === 'EPERM')
    return failure('read_only', `This user cannot read ${place}. Check its permissions.`)
  return failure('io', `${place} could not be read: ${message ?? String(error)}. Try again.`)
}
