import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isInHome } from '@panoptes/engine/home'
import type { Context } from './context.ts'
import { CommandFailure } from './failure.ts'

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
  if (await isInHome(paths, target)) throw ownFile(target)
  const there = await look(target)
  if (there === 'other') throw notAFile(target)
  if (there === 'file' && !force) throw exists(target)
  const folder = dirname(target)
  if (there === 'nothing' && (await look(folder)) === 'nothing') throw noFolder(folder)
  return target
}

async function look(path: string): Promise<'file' | 'other' | 'nothing' | 'unknown'> {
  try {
    return (await stat(path)).isFile() ? 'file' : 'other'
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    return code === 'ENOENT' || code === 'ENOTDIR' ? 'nothing' : 'unknown'
  }
}

const ownFile = (file: string): CommandFailure =>
  new CommandFailure(`${file} belongs to Panoptes and is not overwritten`, {
    code: 'kept',
    next: 'Choose another name, preferably outside the Panoptes home.',
  })

const notAFile = (file: string): CommandFailure =>
  new CommandFailure(`${file} is not a regular file and is not overwritten`, {
    code: 'exists',
    next: 'Choose another name.',
  })

const exists = (file: string): CommandFailure =>
  new CommandFailure(`${file} already exists`, {
    code: 'exists',
    next: 'Choose another name, or overwrite it with --force.',
  })

const noFolder = (folder: string): CommandFailure =>
  new CommandFailure(`The folder ${folder} does not exist`, {
    code: 'not_found',
    next: `Check the path, or create it with: mkdir -p "${folder}"`,
  })
