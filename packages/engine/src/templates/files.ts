import type { BrokenTemplate, Result, TemplatePlace } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { type Read, readTemplate, sessionIn } from './file.ts'
import type { Shelf } from './shelf.ts'
import type { Found, Stored } from './stored.ts'

/** The templates of a shelf by the names of their files. */
export async function templatesIn(shelf: Shelf, place: TemplatePlace): Promise<Result<Found>> {
  const names = await shelf.names()
  if (!names.ok) return names
  const stored: Stored[] = []
  const broken: BrokenTemplate[] = []
  const fileOf = new Map<string, string>()
  for (const name of names.value) {
    const file = shelf.shown(name)
    const read = await readFileOf(shelf, name)
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

export async function readFileOf(shelf: Shelf, name: string): Promise<Result<Read>> {
  const text = await shelf.read(name)
  return text.ok ? readTemplate(text.value) : text
}

/** The session that a file says it was made from, also one that is no template otherwise. */
export async function madeFrom(shelf: Shelf, name: string): Promise<string | undefined> {
  const text = await shelf.read(name)
  return text.ok ? sessionIn(text.value) : undefined
}
