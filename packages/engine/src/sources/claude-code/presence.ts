import { lstat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { entriesOf } from '../folders.ts'
import { transcriptPath } from './places.ts'

/** What became of a session that rows were copied from. */
export type Presence = 'there' | 'forgotten' | 'gone'

export type IsForgotten = (id: string) => boolean

/** Whether a session is there in any project; it is looked for beside the one that names it first. */
export async function presenceOf(
  { projects, isForgotten }: { readonly projects: string; readonly isForgotten: IsForgotten },
  id: string,
  beside: string,
): Promise<Presence> {
  if (isForgotten(id)) return 'forgotten'
  if (basename(id) !== id) return 'gone'
  if (await isFile(transcriptPath(dirname(beside), id))) return 'there'
  for (const project of await entriesOf(projects).catch(() => []))
    if (project.isDirectory() && (await isFile(transcriptPath(join(projects, project.name), id))))
      return 'there'
  return 'gone'
}

const isFile = async (path: string): Promise<boolean> =>
  (await lstat(path).catch(() => undefined))?.isFile() === true
