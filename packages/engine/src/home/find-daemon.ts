import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { check, type DaemonInfo, health } from '@panoptes/schema'
import { readDaemonFile } from './daemon-file.ts'
import type { Paths } from './paths.ts'
import { CHALLENGE_HEADER, newChallenge, PROOF_HEADER, proofOfHome, sameProof } from './proof.ts'
import { tokenFile } from './tokens.ts'

/**
 * `stale`: the file outlived its process. `silent`: the process is there and does not answer
 * (it is starting, hung, or an unrelated process got its number). `foreign`: a Panoptes answers there, and not for this home.
 */
export type DaemonState =
  | { readonly state: 'absent' }
  | { readonly state: 'stale'; readonly info: DaemonInfo }
  | { readonly state: 'silent'; readonly info: DaemonInfo }
  | { readonly state: 'foreign'; readonly info: DaemonInfo }
  | { readonly state: 'running'; readonly info: DaemonInfo; readonly version: string }

export async function findDaemon(paths: Paths, patienceMs = 2_000): Promise<DaemonState> {
  const info = await readDaemonFile(paths)
  if (!info) return { state: 'absent' }
  if (!isProcess(info.pid)) return { state: 'stale', info }
  const challenge = newChallenge()
  const told = await askHealth(info.address, challenge, patienceMs)
  if (!told) return { state: 'silent', info }
  // Whoever answers is sent the token next, so it has to know it already.
  const token = await readFile(tokenFile(paths, 'full'), 'utf8').catch(() => '')
  const expected = await proofOfHome(paths, token.trim(), challenge)
  return token !== '' && sameProof(expected, told.proof)
    ? { state: 'running', info, version: told.version }
    : { state: 'foreign', info }
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

interface Told {
  readonly version: string
  readonly proof: string | null
}

async function askHealth(address: string, challenge: string, patienceMs: number): Promise<Told | undefined> {
  try {
    const reply = await fetch(`${address}/health`, {
      signal: AbortSignal.timeout(patienceMs),
      redirect: 'error',
      headers: { [CHALLENGE_HEADER]: challenge },
    })
    const checked = check(health, await reply.json())
    if (!reply.ok || !checked.ok) return undefined
    return { version: checked.value.version, proof: reply.headers.get(PROOF_HEADER) }
  } catch {
    return undefined
  }
}
