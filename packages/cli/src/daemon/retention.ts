import { uptime } from 'node:os'
import { pause } from '@panoptes/engine/abortable'
import type { EventStore, RetentionPolicy, StoreInfo } from '@panoptes/engine/store'
import { type Config, type ForwardConfig, type HealthCheck, maxLogBytes, type Result } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import { success } from '@panoptes/schema/result'
import type { Logger } from 'pino'
import {
  advanceClock,
  CLOCK_MARK,
  firstClock,
  mayDrop,
  parseClock,
  type RetentionClock,
  waitsMs,
} from './retention-clock.ts'

const DAY_MS = 86_400_000
const MEGABYTE = 1_048_576
const HOUR_MS = 3_600_000
/** While events are forwarded, the waiting ones may grow quickly, so retention runs more often. */
const WHILE_SENDING_MS = 300_000

export function policyOf(config: Config, now: number, engine: StoreInfo['engine']): RetentionPolicy {
  const { max_age_days: days } = config.retention
  return {
    before: days === null ? undefined : Math.floor(now - days * DAY_MS),
    maxBytes: maxLogBytes(config, engine) ?? undefined,
  }
}

/** Forwarding, as far as retention needs it. */
export interface Unsent {
  /** The last seq that the hub has confirmed, or undefined if forwarding is off. */
  readonly sentTo: () => number | undefined
  readonly settings: () => Pick<ForwardConfig, 'max_waiting_mb'>
}

/** The clock of this computer and a monotonic timer, which also advances while the computer sleeps. */
export interface Time {
  readonly now: () => number
  readonly uptimeMs: () => number
}

const TIME: Time = { now: Date.now, uptimeMs: () => uptime() * 1_000 }

/** Keeps the store within its limits, repeatedly, until the signal aborts. */
export async function keepWithinLimits(
  store: EventStore,
  config: Config,
  log: Logger,
  signal: AbortSignal,
  unsent?: Unsent,
): Promise<void> {
  const retention = new Retention(store, config, unsent)
  let didWait = false
  while (!signal.aborted) {
    const dropped = await retention.run(signal)
    if (!dropped.ok && dropped.code !== 'stopped') log.warn({ code: dropped.code }, dropped.message)
    if (dropped.ok && dropped.value.waits && !didWait)
      log.warn('retention: the clock of this computer jumped, so age-based retention is paused')
    if (dropped.ok) didWait = dropped.value.waits
    if (dropped.ok && dropped.value.old > 0) log.info({ dropped: dropped.value.old }, 'old events dropped')
    if (dropped.ok && dropped.value.unsent > 0)
      log.warn(
        { dropped: dropped.value.unsent },
        'forward: events were dropped before they were sent because the queue exceeded forward.max_waiting_mb',
      )
    await pause(unsent?.sentTo() === undefined ? HOUR_MS : WHILE_SENDING_MS, signal)
  }
}

export interface Dropped {
  readonly old: number
  readonly unsent: number
  /** Whether no event is dropped by age because the clock is not trusted. */
  readonly waits: boolean
}

/** One round drops at most this share of the events by age, whatever the clock says. */
const LARGEST_SHARE = 0.1

/** Drops events that are too old or exceed the size limit, in rounds. */
export class Retention {
  readonly #store: EventStore
  readonly #config: Config
  readonly #unsent: Unsent | undefined
  readonly #time: Time
  /** The monotonic time of the previous round in this process. */
  #lastUptime: number | undefined

  constructor(store: EventStore, config: Config, unsent?: Unsent, time: Time = TIME) {
    this.#store = store
    this.#config = config
    this.#unsent = unsent
    this.#time = time
  }

  /**
   * Unsent events stay regardless of age and number until the store reaches the limit for waiting events.
   * After that, the usual limits apply and the oldest are dropped.
   */
  async run(signal: AbortSignal): Promise<Result<Dropped>> {
    const store = this.#store
    const info = await store.info()
    if (!info.ok) return info
    const clock = await this.#clock(info.value)
    if (!clock.ok) return clock
    const policy = policyOf(this.#config, clock.value.believed, info.value.engine)
    const { first, last } = info.value.head
    const before = mayDrop(clock.value) ? policy.before : undefined
    const oldest = first - 1 + Math.max(1, Math.floor((last - first + 1) * LARGEST_SHARE))
    const sentTo = this.#unsent?.sentTo()
    const old =
      before === undefined
        ? success(0)
        : await store.retain({ before, keepAfter: Math.min(oldest, sentTo ?? oldest), signal })
    if (!old.ok) return old
    const large = await store.retain({ maxBytes: policy.maxBytes, keepAfter: sentTo, signal })
    if (!large.ok) return large
    const unsent = await this.#dropUnsent({ ...policy, before }, { oldest, sentTo }, signal)
    if (!unsent.ok) return unsent
    const isByAge = before !== undefined && old.value > 0
    const noted = await store.append([], {
      [CLOCK_MARK]: JSON.stringify(
        isByAge ? { ...clock.value, dropped_at: clock.value.believed } : clock.value,
      ),
    })
    if (!noted.ok) return noted
    const waits = clock.value.jump !== null && policy.before !== undefined
    return success({ old: old.value + large.value, unsent: unsent.value, waits })
  }

  async #dropUnsent(
    policy: RetentionPolicy,
    { oldest, sentTo }: { readonly oldest: number; readonly sentTo: number | undefined },
    signal: AbortSignal,
  ): Promise<Result<number>> {
    if (sentTo === undefined) return success(0)
    const info = await this.#store.info()
    if (!info.ok) return info
    const most = Math.floor((this.#unsent?.settings().max_waiting_mb ?? 0) * MEGABYTE)
    if (info.value.bytes <= most) return success(0)
    const { before } = policy
    const old =
      before === undefined ? success(0) : await this.#store.retain({ before, keepAfter: oldest, signal })
    if (!old.ok || policy.maxBytes === undefined) return old
    const large = await this.#store.retain({ maxBytes: Math.max(policy.maxBytes, most), signal })
    return large.ok ? success(old.value + large.value) : large
  }

  async #clock({ lastTs }: StoreInfo): Promise<Result<RetentionClock>> {
    const marks = await this.#store.marks([CLOCK_MARK])
    if (!marks.ok) return marks
    const now = this.#time.now()
    const up = this.#time.uptimeMs()
    const elapsed = this.#lastUptime === undefined ? null : Math.max(0, up - this.#lastUptime)
    this.#lastUptime = up
    return success(advanceClock(parseClock(marks.value[CLOCK_MARK]) ?? firstClock(now, lastTs), now, elapsed))
  }
}

/** Reports that retention waits, and why. It reports nothing if no event would be dropped. */
export async function retentionChecks(
  store: EventStore,
  { retention }: Pick<Config, 'retention'>,
): Promise<readonly HealthCheck[]> {
  if (retention.max_age_days === null) return []
  const [marks, info] = await Promise.all([store.marks([CLOCK_MARK]), store.info()])
  if (!marks.ok || !info.ok) return []
  const clock = parseClock(marks.value[CLOCK_MARK])
  if (clock === undefined || clock.jump === null) return []
  const { ahead_ms } = clock.jump
  const isDue =
    info.value.firstTs !== null &&
    info.value.firstTs < clock.believed + ahead_ms - retention.max_age_days * DAY_MS
  if (!isDue && ahead_ms > 0) return []
  const hours = Math.ceil(waitsMs(clock) / HOUR_MS)
  return [
    {
      id: 'retention',
      title: 'Retention',
      state: 'warning',
      detail: 'Paused: no events are dropped because of their age',
      cause: `The clock of this computer jumped ${jumpOf(ahead_ms)}`,
      next: `If the clock is wrong, set it before Panoptes has run for ${plural(hours, 'more hour')}. After that, Panoptes trusts the clock and drops old events again. If the clock is right, do nothing.`,
    },
  ]
}

function jumpOf(aheadMs: number): string {
  const days = Math.abs(aheadMs) / DAY_MS
  const length = days < 2 ? plural(Math.round(days * 24), 'hour') : plural(Math.round(days), 'day')
  return `${length} ${aheadMs > 0 ? 'ahead' : 'back'}`
}
