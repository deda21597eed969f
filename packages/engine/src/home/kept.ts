import { basename, join, sep } from 'node:path'
import type { Paths } from './paths.ts'
import { realTarget } from './real-path.ts'

/** What lies beside a file of its own accord: SQLite's, the lock, the older log. */
const BESIDE = ['', '-wal', '-shm', '-journal', '.lock', '.1']

/** Whether a path leads, by whatever links, to what Panoptes keeps in its home; also where that is not there yet. */
export async function isKept({ home, ...kept }: Paths, file: string): Promise<boolean> {
  const [target, folder] = await Promise.all([realTarget(file), realTarget(home)])
  if (target === folder) return true
  for (const path of Object.values(kept)) {
    const places = [join(folder, basename(path)), await realTarget(path)]
    const own = (place: string) =>
      target.startsWith(place + sep) || BESIDE.some((end) => target === place + end)
    if (places.some(own)) return true
  }
  return false
}
