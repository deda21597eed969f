import { createWriteStream } from 'node:fs'
import { realpath, rename, rm, stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileFailure, isInHome } from '@panoptes/engine/home'
import type { Context } from './context.ts'
import { CommandFailure, toCommandFailure } from './failure.ts'

/**
 * Resolves the output file of a command. It rejects files that must not be overwritten before any work is
 * done.
 */
export async function resolveTarget(
  { paths }: Context,
  file: string,
  { force = false }: { readonly force?: boolean | undefined },
): Promise<string> {
  const target = resolve(file)
  if (await isInHome(paths, target)) throw ownFileFailure(target)
  const there = await findFileKind(target)
  if (there === 'other') throw notAFileFailure(target)
  if (there === 'file' && !force) throw existsFailure(target)
  const folder = dirname(target)
  if (there === 'nothing' && (await findFileKind(folder)) === 'nothing') throw noFolderFailure(folder)
  return target
}

async function findFileKind(path: string): Promise<'file' | 'other' | 'nothing' | 'unknown'> {
  try {
    return (await stat(path)).isFile() ? 'file' : 'other'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'nothing' : 'unknown'
  }
}

const ownFileFailure = (file: string): CommandFailure =>
  new CommandFailure(`${file} belongs to Panoptes and is not overwritten`, {
    code: 'kept',
    next: 'Choose another name, preferably outside the Panoptes home.',
  })

const notAFileFailure = (file: string): CommandFailure =>
  new CommandFailure(`${file} is not a regular file and is not overwritten`, {
    code: 'exists',
    next: 'Choose another name.',
  })

const existsFailure = (file: string): CommandFailure =>
  new CommandFailure(`${file} already exists`, {
    code: 'exists',
    next: 'Choose another name, or overwrite it with --force.',
  })

const noFolderFailure = (folder: string): CommandFailure =>
  new CommandFailure(`The folder ${folder} does not exist`, {
    code: 'not_found',
    next: `Check the path, or create it with: mkdir -p "${folder}"`,
  })

/** Writes a file atomically, readable only by this user. It follows a link instead of replacing it. */
export async function writeFileAtomically(
  target: string,
  bytes: AsyncIterable<Uint8Array>,
  signal?: AbortSignal,
): Promise<void> {
  const real = await realpath(target).catch(() => target)
  const partial = `${real}.${process.pid}.partial`
  try {
    const file = createWriteStream(partial, { mode: 0o600, flags: 'wx' })
    await pipeline(Readable.from(bytes, { objectMode: false }), file, { signal })
    await rename(partial, real)
  } catch (error) {
    await rm(partial, { force: true })
    const system = error instanceof Error && 'syscall' in error
    throw system ? toCommandFailure(fileFailure(error, target, 'write')) : error
  }
}
