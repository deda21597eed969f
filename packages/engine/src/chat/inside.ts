import { realpath } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'

/** Where a path leads to, all links followed; null where that is outside of a folder. What is not there throws. */
export async function leadsInside(path: string, folder: string): Promise<string | null> {
  const [real, root] = await Promise.all([realpath(path), realpath(folder)])
  const way = relative(root, real)
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? null : real
}
