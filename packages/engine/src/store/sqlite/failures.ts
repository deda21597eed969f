import { statfsSync } from 'node:fs'
import { dirname } from 'node:path'
import { Refused } from '@panoptes/engine/worker-rpc'
import type { Failure } from '@panoptes/schema'
import { failure } from '@panoptes/schema/result'

interface SqliteError {
  readonly errcode?: number
  readonly code?: string
  readonly message?: string
}

/**
 * Turns an error of SQLite or the system into a failure that names the file and tells the reader what to do.
 */
export function toFailure(error: unknown, file: string): Failure {
  if (error instanceof Refused) return error.failure
  const { errcode, code, message = String(error) } = (error ?? {}) as SqliteError
  if (code === 'ENOSPC') return diskFull(file)
  if (code === 'EROFS' || code === 'EACCES' || code === 'EPERM') return readOnly(file)
  switch ((errcode ?? 0) & 0xff) {
    case 13:
      return diskFull(file)
    case 8:
    case 14:
      return readOnly(file)
    case 5:
    case 6:
      return failure(
        'locked',
        `${file} is in use by another process. Stop it ("panoptes stop") and try again.`,
      )
    case 11:
    case 26:
      return failure(
        'corrupt',
        `${file} is damaged or not a Panoptes store (${message}). Nothing was changed. Stop Panoptes and recover what is readable with "panoptes rescue FILE", or restore a backup.`,
      )
    case 10:
      return hasNoSpace(file) ? diskFull(file) : unusable(file, message)
    default:
      return unusable(file, message)
  }
}

/** Detects a full disk, because SQLite reports some of those writes as plain I/O errors. */
function hasNoSpace(file: string): boolean {
  try {
    return statfsSync(dirname(file)).bavail === 0
  } catch {
    return false
  }
}

const unusable = (file: string, message: string): Failure =>
  failure('io', `${file} could not be used: ${message}. Run "panoptes doctor".`)

const diskFull = (file: string): Failure =>
  failure(
    'disk_full',
    `The disk with ${file} is full. Free some space and try again. Acknowledged events are safe.`,
  )

const readOnly = (file: string): Failure =>
  failure(
    'read_only',
    `${file} cannot be opened for writing. Check that its folder exists and belongs to you, or set PANOPTES_HOME to a folder that does.`,
  )
