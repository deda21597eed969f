import { constants } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileFailure } from '@panoptes/engine/home'
import type { BrokenTemplate, Result, TemplatePlace } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { type Read, readTemplate, sessionIn } from './file.ts'
import type { Found, Stored } from './stored.ts'

export const ENDING = '.json'
/** A template has some kilobytes; those of other programs may hold whole results. */
const MOST_BYTES = 64 * 1_024 * 1_024

/** The templates of a folder by the names of their files; a folder that is not there has none. */
export async function templatesIn(folder: string, place: TemplatePlace): Promise<Result<Found>> {
  const names = await namesIn(folder)
  if (!names.ok) return names
  const stored: Stored[] = []
  const broken: BrokenTemplate[] = []
  const fileOf = new Map<string, string>()
  for (const file of names.value.map((name) => join(folder, name))) {
    const read = await readFileOf(file)
    if (!read.ok) {
      broken.push({ file, reason: read.message })
      continue
    }
    const { template } = read.value
    const earlier = fileOf.get(template.name)
    if (earlier === undefined) stored.push({ template, place, file })
    else broken.push({ file, reason: `It has the same name as ${earlier}` })
    fileOf.set(template.name, earlier ?? file)
  }
  return success({ stored, broken })
}

export async function readFileOf(file: string): Promise<Result<Read>> {
  const text = await textOf(file)
  return text.ok ? readTemplate(text.value) : text
}

/** The session that a file says it was made from, also one that is no template otherwise. */
export async function madeFrom(file: string): Promise<string | undefined> {
  const text = await textOf(file)
  return text.ok ? sessionIn(text.value) : undefined
}

async function textOf(file: string): Promise<Result<string>> {
  try {
    // A pipe in the place of a file would keep us waiting for its writer.
    const handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    try {
      const found = await handle.stat()
      if (!found.isFile()) return failure('corrupt', 'It is not a file')
      if (found.size > MOST_BYTES) return failure('corrupt', 'It is larger than 64 MB')
      return success(await handle.readFile('utf8'))
    } finally {
      await handle.close()
    }
  } catch (error) {
    return fileFailure(error, file, 'read')
  }
}

export async function namesIn(folder: string): Promise<Result<readonly string[]>> {
  try {
    return success((await readdir(folder)).filter((name) => name.endsWith(ENDING)).sort())
  } catch (error) {
    const failed = fileFailure(error, folder, 'read')
    return failed.code === 'not_found' ? success([]) : failed
  }
}
