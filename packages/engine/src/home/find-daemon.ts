import { readFileSync } from 'node:fs'
import { check, type DaemonInfo, health } from '@panoptes/schema'
import { readDaemonFile } from './daemon-file.ts'
import type { Paths } from './paths.ts'

/**
 * `stale`: the file outlived its process. `silent`: the process is there and does not answer
 * (it is starting, hung, or an unrelated process got its number).
 */
export type DaemonState =
  | { readonly state: 'absent' }
  | { readonly state: 'stale'; readonly info: DaemonInfo }
  | { readonly state: 'silent'; readonly info: DaemonInfo }
  | { readonly state: 'running'; readonly info: DaemonInfo; readonly version: string }

export async function findDaemon(paths: Paths, patienceMs = 2_000): Promise<DaemonState> {
  const info = await readDaemonFile(paths)
  if (!info) return { state: 'absent' }
  if (!isProcess(info.pid)) return { state: 'stale', info }
  const version = await askHealth(info.address, patienceMs)
  return version === undefined ? { state: 'silent', info } : { state: 'running', info, version }
}

export function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
  return !hasEnded(pid)
}

/** A process that ended and was not yet collected by its parent still takes signals; in a container it may stay so for long. */
function hasEnded(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}

async function askHealth(address: string, patienceMs: number): Promise<string | undefined> {
  try {
    const reply = await fetch(`${address}/health`, {
      signal: AbortSignal.timeout(patienceMs),
      redirect: 'error',
    })
    const checked = check(health, await reply.json())
    return reply.ok && checked.ok ? checked.value.version : undefined
  } catch {
    return undefined
  }
}
