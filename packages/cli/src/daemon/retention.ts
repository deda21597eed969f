import type { Ledger, LedgerInfo, RetentionPolicy } from '@panoptes/engine/ledger'
import { pause } from '@panoptes/engine/waiting'
import { type Config, type ForwardConfig, type Result, sizeLimitOf } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Logger } from 'pino'

const DAY_MS = 86_400_000
const MEGABYTE = 1_048_576
const HOUR_MS = 3_600_000
/** What waits may grow quickly. */
const WHILE_SENDING_MS = 300_000

export function policyOf(config: Config, now: number, engine: LedgerInfo['engine']): RetentionPolicy {
  const { max_age_days: days } = config.retention
  return {
    before: days === null ? undefined : Math.floor(now - days * DAY_MS),
    maxBytes: sizeLimitOf(config, engine) ?? undefined,
  }
}

/** What is sent to a hub, and what it leaves behind. */
export interface Unsent {
  /** Up to which seq the hub has everything; nothing where nothing is sent. */
  readonly sentTo: () => number | undefined
  readonly settings: () => Pick<ForwardConfig, 'max_waiting_mb'>
}

/** Keeps the ledger within its limits: now, and again and again until the signal aborts. */
export async function keepWithinLimits(
  ledger: Ledger,
  config: Config,
  log: Logger,
  signal: AbortSignal,
  unsent?: Unsent,
): Promise<void> {
  while (!signal.aborted) {
    const dropped = await dropOld(ledger, config, signal, unsent)
    if (!dropped.ok && dropped.code !== 'stopped') log.warn({ code: dropped.code }, dropped.message)
    if (dropped.ok && dropped.value.old > 0) log.info({ dropped: dropped.value.old }, 'old events dropped')
    if (dropped.ok && dropped.value.unsent > 0)
      log.warn(
        { dropped: dropped.value.unsent },
        'forward: events were dropped before they were sent, since more waited than forward.max_waiting_mb',
      )
    await pause(unsent?.sentTo() === undefined ? HOUR_MS : WHILE_SENDING_MS, signal)
  }
}

export interface Dropped {
  readonly old: number
  readonly unsent: number
}

/**
 * What the hub does not have yet stays, however old and many its events are, until the ledger has as much as may wait. Then the same
 * limits hold for it as for all else, and the oldest go.
 */
export async function dropOld(
  ledger: Ledger,
  config: Config,
  signal: AbortSignal,
  unsent?: Unsent,
): Promise<Result<Dropped>> {
  const before = await ledger.info()
  if (!before.ok) return before
  const policy = policyOf(config, Date.now(), before.value.engine)
  const sentTo = unsent?.sentTo()
  const old = await ledger.retain({ ...policy, keepAfter: sentTo, signal })
  if (!old.ok) return old
  const info = await ledger.info()
  if (!info.ok) return info
  const most = Math.floor((unsent?.settings().max_waiting_mb ?? 0) * MEGABYTE)
  if (sentTo === undefined || info.value.bytes <= most) return success({ old: old.value, unsent: 0 })
  const maxBytes = policy.maxBytes === undefined ? undefined : Math.max(policy.maxBytes, most)
  const more = await ledger.retain({ before: policy.before, maxBytes, signal })
  return more.ok ? success({ old: old.value, unsent: more.value }) : more
}
