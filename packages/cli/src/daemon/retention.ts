import type { Ledger, RetentionPolicy } from '@panoptes/engine/ledger'
import type { Config } from '@panoptes/schema'
import type { Logger } from 'pino'
import { pause } from './leading.ts'

const DAY_MS = 86_400_000
const MEGABYTE = 1_048_576
const HOUR_MS = 3_600_000

export function policyOf({ retention }: Config, now: number): RetentionPolicy {
  const { max_age_days: days, max_size_mb: megabytes } = retention
  return {
    before: days === null ? undefined : Math.floor(now - days * DAY_MS),
    maxBytes: megabytes === null ? undefined : Math.floor(megabytes * MEGABYTE),
  }
}

/** Keeps the ledger within its limits: now, and every hour until the signal aborts. */
export async function keepWithinLimits(
  ledger: Ledger,
  config: Config,
  log: Logger,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    const dropped = await ledger.retain({ ...policyOf(config, Date.now()), signal })
    if (!dropped.ok && dropped.code !== 'stopped') log.warn({ code: dropped.code }, dropped.message)
    else if (dropped.ok && dropped.value > 0) log.info({ dropped: dropped.value }, 'old events dropped')
    await pause(HOUR_MS, signal)
  }
}
