import { watch } from 'node:fs'
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Check, ok, warning } from './check.ts'

const TIMEOUT_MS = 3_000

/** Checks whether the system reports new files at once. Network folders and some shared folders do not. */
export const watchCheck: Check = {
  id: 'watch',
  title: 'File watching',
  run: async ({ paths }) => {
    const there = await stat(paths.home).catch(() => undefined)
    const folder = await mkdtemp(join(there ? paths.home : tmpdir(), '.watch-')).catch(() => undefined)
    if (!folder) return ok('Not checked: the home cannot be written')
    try {
      const took = await noticed(folder)
      if (took !== undefined) return ok(`Changes are noticed after ${Math.ceil(took)} ms`)
      const next = 'Set PANOPTES_HOME to a folder on a local disk.'
      return warning('Changes are not noticed', `The disk under ${paths.home} does not report them`, next)
    } catch (error) {
      const cause = error instanceof Error ? error.message : String(error)
      const limit = 'If it says ENOSPC or EMFILE, raise fs.inotify.max_user_watches.'
      return warning('Changes cannot be watched', cause, limit)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  },
}

async function noticed(folder: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const began = performance.now()
  const watcher = watch(folder, () => resolve(performance.now() - began))
  watcher.on('error', reject)
  const limit = setTimeout(() => resolve(undefined), TIMEOUT_MS)
  try {
    await writeFile(join(folder, 'sign'), '')
    return await promise
  } finally {
    clearTimeout(limit)
    watcher.close()
  }
}
