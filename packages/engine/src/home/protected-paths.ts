import { basename, join, sep } from 'node:path'
import type { Paths } from './paths.ts'
import { realTarget } from './real-path.ts'

/** Suffixes of files next to a file: those of SQLite, the lock, and the rotated log. */
const BESIDE = ['', '-wal', '-shm', '-journal', '.lock', '.1']

/**
 * Checks whether a path leads, through any links, to a file that Panoptes stores in its home, also when that
 * file does not exist yet.
 */
export async function isInHome({ home, ...paths }: Paths, file: string): Promise<boolean> {
  const [target, folder] = await Promise.all([realTarget(file), realTarget(home)])
  if (target === folder) return true
  for (const path of Object.values(paths)) {
    const places = [join(folder, basename(path)), await realTarget(path)]
    const own = (place: string) =>
      target.startsWith(place + sep) || BESIDE.some((end) => target === place + end)
    if (places.some(own)) return true
  }
  return false
}
