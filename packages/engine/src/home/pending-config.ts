import { stat } from 'node:fs/promises'
import { findDaemon } from './find-daemon.ts'
import type { Paths } from './paths.ts'

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
