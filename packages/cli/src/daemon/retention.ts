import type { Ledger, RetentionPolicy } from '@panoptes/engine/ledger'
import type { Config } from '@panoptes/schema'
import type { Logger } from 'pino'

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

/** Keeps the ledger within its limits: now, and every hour until stopped. */
export function keepWithinLimits(ledger: Ledger, config: Config, log: Logger): () => Promise<void> {
  const controller = new AbortController()
  const run = async (): Promise<void> => {
    const dropped = await ledger.retain({ ...policyOf(config, Date.now()), signal: controller.signal })
    if (!dropped.ok && dropped.code !== 'stopped') log.warn({ code: dropped.code }, dropped.message)
    else if (dropped.ok && dropped.value > 0) log.info({ dropped: dropped.value }, 'old events dropped')
  }
  let running = run()
  const timer = setInterval(() => {
    running = running.then(run)
  }, HOUR_MS)
  timer.unref()
  return async () => {
    clearInterval(timer)
    controller.abort()
    await running
  }
}
