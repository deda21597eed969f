import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

/** Resolves a path through all links, also when the final file does not exist yet. */
export async function realTarget(named: string, links = 8): Promise<string> {
  try {
    return await realpath(named)
  } catch {
    const folder = await realpath(dirname(named)).catch(() => dirname(named))
    const link = await readlink(named).catch(() => null)
    if (link !== null && links > 0) return realTarget(resolve(folder, link), links - 1)
    return join(folder, basename(named))
  }
}
