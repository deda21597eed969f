import { stat } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { isKept } from '@panoptes/engine/home'
import type { Context } from './context.ts'
import { CommandFailure } from './failure.ts'

/** Where a command writes the file it is asked for; whatever must not be written over is refused before any work is done. */
export async function targetOf(
  { paths }: Context,
  file: string,
  { force = false }: { readonly force?: boolean | undefined },
): Promise<string> {
  const target = resolve(file)
  if (await isKept(paths, target)) throw kept(target)
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

const kept = (file: string): CommandFailure =>
  new CommandFailure(`${file} is a file that Panoptes keeps itself, and is not written over`, {
    code: 'kept',
    next: 'Choose another name, outside the folder of Panoptes if you can.',
  })

const notAFile = (file: string): CommandFailure =>
  new CommandFailure(`${file} is not a regular file, and is not replaced`, {
    code: 'exists',
    next: 'Choose another name.',
  })

const exists = (file: string): CommandFailure =>
  new CommandFailure(`${file} is there already`, {
    code: 'exists',
    next: 'Choose another name, or replace it with --force.',
  })

const noFolder = (folder: string): CommandFailure =>
  new CommandFailure(`There is no folder ${folder}`, {
    code: 'not_found',
    next: `Check the name, or make it with: mkdir -p "${folder}"`,
  })
