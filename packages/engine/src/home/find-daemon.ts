import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { check, type DaemonInfo, daemonInfo, health, type Result, success } from '@panoptes/schema'
import { fileFailure } from './file-failure.ts'
import { type Paths, realTarget } from './paths.ts'
import { readRegular } from './read-regular.ts'
import { tokenFile } from './tokens.ts'
import { replaceFile } from './write-file.ts'

/**
 * `stale`: the file outlived its process. `silent`: the process exists and does not answer (it is starting,
 * hung, or an unrelated process got its pid). `foreign`: the Panoptes that answers there serves another home.
 * `unproven`: a Panoptes answers there, but without this home's token nobody can tell which home it serves.
 */
export type DaemonState =
  | { readonly state: 'absent' }
  | { readonly state: 'stale'; readonly info: DaemonInfo }
  | { readonly state: 'silent'; readonly info: DaemonInfo }
  | { readonly state: 'foreign'; readonly info: DaemonInfo }
  | { readonly state: 'unproven'; readonly info: DaemonInfo; readonly message: string; readonly next: string }
  | { readonly state: 'running'; readonly info: DaemonInfo; readonly version: string }

export const CHALLENGE_HEADER = 'x-panoptes-challenge'
export const PROOF_HEADER = 'x-panoptes-proof'

export async function findDaemon(paths: Paths, timeoutMs = 2_000): Promise<DaemonState> {
  const info = await readDaemonFile(paths)
  if (!info) return { state: 'absent' }
  if (!isProcess(info.pid)) return { state: 'stale', info }
  const challenge = createChallenge()
  const reply = await askHealth(info.address, challenge, timeoutMs)
  if (!reply) return { state: 'silent', info }
  // The caller sends the token to the daemon next, so the daemon has to prove first that it knows the token.
  const token = await readRegular(tokenFile(paths, 'full')).then(
    (text) => text.trim(),
    () => '',
  )
  if (token === '') return { state: 'unproven', info, ...unproven(paths, info) }
  const expected = await computeHomeProof(paths, token, challenge)
  return isSameProof(expected, reply.proof)
    ? { state: 'running', info, version: reply.version }
    : { state: 'foreign', info }
}

const unproven = (paths: Paths, { address, pid }: DaemonInfo) => ({
  message: `Panoptes answers at ${address}, but its token cannot be read from ${tokenFile(paths, 'full')}`,
  next: `If the token belongs to another user, run this as that user. If it is gone, end process ${pid} with "kill ${pid}" and restart with: panoptes up`,
})

export function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
  return !hasEnded(pid)
}

/** A zombie process still accepts signals until its parent collects it; in a container that may take long. */
function hasEnded(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return /^[ZX]/.test(stat.slice(stat.lastIndexOf(')') + 2))
  } catch {
    return false
  }
}

interface Health {
  readonly version: string
  readonly proof: string | null
}

async function askHealth(address: string, challenge: string, timeoutMs: number): Promise<Health | undefined> {
  try {
    const reply = await fetch(`${address}/health`, {
      signal: AbortSignal.timeout(timeoutMs),
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

/**
 * Returns true when `config.yaml` was written after the daemon of this home started, so its changes are not
 * in force yet.
 */
export async function isConfigPending(paths: Paths): Promise<boolean> {
  const daemon = await findDaemon(paths)
  if (daemon.state !== 'running') return false
  const changedAt = await stat(paths.config).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
  return changedAt > daemon.info.started_at
}

/** Reads `daemon.json`. Returns undefined where it is absent or malformed. */
export async function readDaemonFile(paths: Paths): Promise<DaemonInfo | undefined> {
  try {
    const checked = check(daemonInfo, JSON.parse(await readRegular(paths.daemon)))
    return checked.ok ? checked.value : undefined
  } catch {
    return undefined
  }
}

export async function writeDaemonFile(paths: Paths, info: DaemonInfo): Promise<Result<void>> {
  try {
    await replaceFile(paths.daemon, `${JSON.stringify(info, null, 2)}\n`)
    return success(undefined)
  } catch (error) {
    return fileFailure(error, paths.daemon, 'write')
  }
}

/** Removes the file if it still describes this process. A newer daemon's file stays. */
export async function removeDaemonFile(paths: Paths, pid: number): Promise<void> {
  if ((await readDaemonFile(paths))?.pid === pid) await rm(paths.daemon, { force: true })
}

const createChallenge = (): string => randomBytes(24).toString('base64url')

/**
 * Computes the answer that only a process serving this very home can give. The home is part of it, so a copy
 * of the home proves nothing.
 */
export async function computeHomeProof({ home }: Paths, token: string, challenge: string): Promise<string> {
  const words = `${challenge}\n${await realTarget(home)}`
  return createHmac('sha256', token).update(words).digest('base64url')
}

function isSameProof(one: string, other: string | null): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other ?? '')]
  return a.length === b.length && timingSafeEqual(a, b)
}
