import type { BrokenTemplate, Result, TemplatePlace } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { type Read, readTemplate, sessionIn } from './file.ts'
import type { Shelf } from './storage.ts'
import type { Found, Stored } from './stored-template.ts'

/** Reads the templates of a storage by file name. */
export async function templatesIn(shelf: Shelf, place: TemplatePlace): Promise<Result<Found>> {
  const names = await shelf.names()
  if (!names.ok) return names
  const stored: Stored[] = []
  const broken: BrokenTemplate[] = []
  const fileByName = new Map<string, string>()
  for (const name of names.value) {
    const file = shelf.shown(name)
    const read = await readTemplateFile(shelf, name)
    if (!read.ok) {
      broken.push({ file, reason: read.message })
      continue
    }
    const { template } = read.value
    const earlier = fileByName.get(template.name)
    if (earlier === undefined) stored.push({ template, place, file })
    else broken.push({ file, reason: `It has the same name as ${earlier}` })
    fileByName.set(template.name, earlier ?? file)
  }
  return success({ stored, broken })
}

export async function readTemplateFile(shelf: Shelf, name: string): Promise<Result<Read>> {
  const text = await shelf.read(name)
  return text.ok ? readTemplate(text.value) : text
}

/** Returns the session that a file names as its origin, even if it is not a valid template. */
export async function madeFrom(shelf: Shelf, name: string): Promise<string | undefined> {
  const text = await shelf.read(name)
  return text.ok ? sessionIn(text.value) : undefined
}
