import { realpath } from 'node:fs/promises'
import { isAbsolute, relative, sep } from 'node:path'

/**
 * Resolves a path with all links; null if it is outside the folder. Throws if the path does not
 * exist.
 */
export async function leadsInside(path: string, folder: string): Promise<string | null> {
  const [real, root] = await Promise.all([realpath(path), realpath(folder)])
  const way = relative(root, real)
  return way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way) ? null : real
}
