import { type Failure, failure } from '@panoptes/schema'
import { NoFolders } from './make-folder.ts'
import { NotAFile } from './read-regular.ts'

/** Describes a failed file operation and names the file. */
export function fileFailure(error: unknown, file: string, doing: string): Failure {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  if (code === 'EACCES' || code === 'EPERM') return failure('read_only', `No permission to ${doing} ${file}`)
  if (code === 'EROFS') return failure('read_only', `Cannot ${doing} ${file}: the file system is read-only`)
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return failure('disk_full', `Cannot ${doing} ${file}: the disk is full`)
  }
  if (code === 'ENOENT') return failure('not_found', `Cannot ${doing} ${file}: it does not exist`)
  if (error instanceof NotAFile)
    return failure(
      'io',
      `Cannot ${doing} ${file}: it is ${error.kind}. Move it away, or put a file in its place`,
    )
  if (code === 'EISDIR')
    return failure('io', `Cannot ${doing} ${file}: it is a folder. Move it away, or put a file in its place`)
  if (code === 'ENOTDIR' || code === 'EEXIST') {
    return failure('io', `Cannot ${doing} ${file}: something that is not a folder is in its place`)
  }
  if (error instanceof NoFolders) return failure('read_only', `Cannot ${doing} ${file}: ${error.message}`)
  return failure('io', `Cannot ${doing} ${file}: ${error instanceof Error ? error.message : String(error)}`)
}
