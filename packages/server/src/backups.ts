import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Paths } from '@panoptes/engine/home'
import type { StorageInfo } from '@panoptes/schema'

type Backup = NonNullable<StorageInfo['last_backup']>

const backupFolder = (paths: Paths): string => join(paths.home, 'backups')

/** The file of a backup that was requested without a name. */
export const backupFile = (paths: Paths, now: Date): string =>
  join(backupFolder(paths), `ledger-${now.toISOString().replace(/[:.]/g, '-')}.db`)

/** Returns the newest backup in the folder, or the one that this process wrote elsewhere if that is newer. */
export async function newestBackup(paths: Paths, made: Backup | null): Promise<Backup | null> {
  let newest = made
  const names = await readdir(backupFolder(paths)).catch(() => [])
  const last = names
    .filter((name) => /^ledger-[^.]*\.db$/.test(name))
    .sort()
    .at(-1)
  if (last === undefined) return newest
  const path = join(backupFolder(paths), last)
  const found = await stat(path).catch(() => undefined)
  const at = found ? Math.round(found.mtimeMs) : 0
  if (found && (!newest || at > newest.at)) newest = { path, at, bytes: found.size }
  return newest
}
