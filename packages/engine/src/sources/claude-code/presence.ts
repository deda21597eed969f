import { lstat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { readEntries } from '../folders.ts'
import { transcriptPath } from './places.ts'

/** The current state of a session that rows were copied from. */
export type Presence = 'there' | 'forgotten' | 'gone'

export type IsForgotten = (id: string) => boolean

/** Finds a session in any project, starting next to the one that names it. */
export async function findPresence(
  { projects, isForgotten }: { readonly projects: string; readonly isForgotten: IsForgotten },
  id: string,
  beside: string,
): Promise<Presence> {
  if (isForgotten(id)) return 'forgotten'
  if (basename(id) !== id) return 'gone'
  if (await isFile(transcriptPath(dirname(beside), id))) return 'there'
  for (const project of await readEntries(projects).catch(() => []))
    if (project.isDirectory() && (await isFile(transcriptPath(join(projects, project.name), id))))
      return 'there'
  return 'gone'
}

const isFile = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isFile() === true
