import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { transcriptsIn } from '@panoptes/engine/sources'
import { forgetOldest } from '../idempotency-key.ts'

export interface Changed {
  readonly path: string
  readonly mtimeMs: number
  readonly size: number
}

/**
 * Checks the size and time of every transcript, without reading any, and returns those that changed since the
 * last check.
 */
export interface Sweep {
  readonly look: (project: (folder: string) => void) => Promise<readonly Changed[]>
}

const AT_ONCE = 64
const MOST_SEEN = 100_000

export function createSweep(folder: string): Sweep {
  const seen = new Map<string, string>()

  const changedAmong = async (paths: readonly string[]): Promise<readonly Changed[]> => {
    const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)))
    return found.flatMap((stats, at) => {
      const path = paths[at] ?? ''
      if (!stats) return []
      const { mtimeMs, size } = stats
      const mark = `${size}.${mtimeMs}`
      if (seen.get(path) === mark) return []
      seen.set(path, mark)
      return [{ path, mtimeMs, size }]
    })
  }

  return {
    look: async (project) => {
      const changed: Changed[] = []
      for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
        if (!entry.isDirectory()) continue
        const inside = join(folder, entry.name)
        project(inside)
        const paths = (await transcriptsIn(inside)).map(({ path }) => path)
        for (let at = 0; at < paths.length; at += AT_ONCE)
          changed.push(...(await changedAmong(paths.slice(at, at + AT_ONCE))))
      }
      forgetOldest(seen, MOST_SEEN)
      return changed.sort((a, b) => b.mtimeMs - a.mtimeMs)
    },
  }
}
