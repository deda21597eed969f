import { readFile, rm } from 'node:fs/promises'
import { check, type DaemonInfo, daemonInfo } from '@panoptes/schema'
import type { Paths } from './paths.ts'
import { replaceFile } from './write-file.ts'

/** What `daemon.json` says; nothing where it is absent or cannot be understood. */
export async function readDaemonFile(paths: Paths): Promise<DaemonInfo | undefined> {
  try {
    const checked = check(daemonInfo, JSON.parse(await readFile(paths.daemon, 'utf8')))
    return checked.ok ? checked.value : undefined
  } catch {
    return undefined
  }
}

export function writeDaemonFile(paths: Paths, info: DaemonInfo): Promise<void> {
  return replaceFile(paths.daemon, `${JSON.stringify(info, null, 2)}\n`)
}

/** Removes the file if it is still about this process: a newer daemon's stays. */
export async function removeDaemonFile(paths: Paths, pid: number): Promise<void> {
  if ((await readDaemonFile(paths))?.pid === pid) await rm(paths.daemon, { force: true })
}
