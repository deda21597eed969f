import { statSync } from 'node:fs'
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { transcriptsIn } from '@panoptes/engine/sources'
import { forgetOldest } from '../idempotency-key.ts'

export interface Changed {
  readonly path: string
  readonly mtimeMs: number
  readonly size: number
}

/** Checks transcripts by their size and time, without reading any. */
export interface Sweep {
  /** Returns every transcript whose size is not known yet, those that changed last first. */
  readonly look: () => Promise<readonly Changed[]>
  /** Returns a file if its size changed since it was last checked. */
  readonly check: (path: string) => Changed | undefined
}

const AT_ONCE = 64
const MOST_SEEN = 100_000

export function createSweep(folder: string): Sweep {
  /** The sizes of files. Their times also change when somebody copies or touches them. */
  const sizes = new Map<string, number>()

  const changedAmong = async (paths: readonly string[]): Promise<readonly Changed[]> => {
    const found = await Promise.all(paths.map((path) => stat(path).catch(() => undefined)))
    return found.flatMap((stats, at) => {
      const path = paths[at] ?? ''
      return stats === undefined || sizes.get(path) === stats.size
        ? []
        : [{ path, mtimeMs: stats.mtimeMs, size: stats.size }]
    })
  }

  return {
    look: async () => {
      const changed: Changed[] = []
      for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
        if (!entry.isDirectory()) continue
        const paths = (await transcriptsIn(join(folder, entry.name))).map(({ path }) => path)
        for (let at = 0; at < paths.length; at += AT_ONCE)
          changed.push(...(await changedAmong(paths.slice(at, at + AT_ONCE))))
      }
      return changed.sort((a, b) => b.mtimeMs - a.mtimeMs)
    },
    check: (path) => {
      const stats = statSync(path, { throwIfNoEntry: false })
      if (!stats?.isFile() || sizes.get(path) === stats.size) return undefined
      sizes.set(path, stats.size)
      forgetOldest(sizes, MOST_SEEN)
      return { path, mtimeMs: stats.mtimeMs, size: stats.size }
    },
  }
}
