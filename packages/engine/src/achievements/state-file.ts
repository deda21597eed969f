import type { Failure } from '@panoptes/schema'
import { TIERS, type TierName } from './achievement.ts'
import { readJson, writeJson } from './files.ts'
import type { Unlock } from './unlocks.ts'

const SECOND_MS = 1_000
/** Clocks of two computers may differ by so much. */
const AHEAD_MS = 86_400_000

export interface State {
  readonly unlocks: ReadonlyMap<string, Unlock>
  /** When everything was taken back last, in milliseconds. */
  readonly resetAt: number | null
  /** The home of Hermes it is of; Hermes' plugin does not say. */
  readonly home: string | undefined
}

/** What a `state.json` of Hermes' plugin, or our own, tells. What is malformed in it is passed over. */
export function readState(file: string): State {
  const { unlocks, reset_at: reset, hermes_home: home } = (readJson(file) ?? {}) as Record<string, unknown>
  const entries = typeof unlocks === 'object' && unlocks !== null ? Object.entries(unlocks) : []
  return {
    unlocks: new Map(entries.flatMap(([id, one]) => unlockOf(id, one as Written | null))),
    resetAt: momentOf(reset) ?? null,
    home: typeof home === 'string' ? home : undefined,
  }
}

function unlockOf(id: string, one: Written | null): readonly (readonly [string, Unlock])[] {
  const at = momentOf(one?.unlocked_at)
  if (one === null || at === undefined) return []
  const first = TIERS.find((tier) => tier === one.first_tier) ?? null
  const dates = datesOf(one.tiers)
  const tiers = first === null ? dates : { [first]: at, ...dates }
  return [[id, { unlocked_at: at, first_tier: first, evidence: evidenceOf(one.evidence), tiers }]]
}

interface Written {
  readonly unlocked_at?: unknown
  readonly first_tier?: unknown
  readonly evidence?: unknown
  readonly tiers?: unknown
}

function datesOf(tiers: unknown): Partial<Record<TierName, number>> {
  if (typeof tiers !== 'object' || tiers === null) return {}
  return Object.fromEntries(
    Object.entries(tiers).flatMap(([tier, at]) =>
      TIERS.includes(tier as TierName) && momentOf(at) !== undefined ? [[tier, momentOf(at)]] : [],
    ),
  )
}

/** Milliseconds; nothing for a time that no unlock can have: before 1970, or still to come. */
function momentOf(seconds: unknown): number | undefined {
  if (typeof seconds !== 'number') return undefined
  const ms = seconds * SECOND_MS
  return ms >= 0 && ms <= Date.now() + AHEAD_MS ? ms : undefined
}

function evidenceOf(value: unknown): Unlock['evidence'] {
  const { session_id: session, title, value: count, source } = (value ?? {}) as Record<string, unknown>
  if (typeof session !== 'string' || !Number.isSafeInteger(count)) return null
  return {
    session_id: session,
    title: typeof title === 'string' ? title : '',
    value: count as number,
    ...(typeof source === 'string' && { source }),
  }
}

/** The shape of Hermes' plugin; `tiers`, `reset_at` and `hermes_home` are ours. */
export function writeState(
  file: string,
  unlocks: ReadonlyMap<string, Unlock>,
  { resetAt = null, home }: Partial<Pick<State, 'resetAt' | 'home'>> = {},
): Failure | undefined {
  const seconds = (ms: number): number => Math.floor(ms / SECOND_MS)
  const written = [...unlocks]
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([id, unlock]) => [
      id,
      {
        unlocked_at: seconds(unlock.unlocked_at),
        first_tier: unlock.first_tier,
        evidence: unlock.evidence,
        tiers: Object.fromEntries(Object.entries(unlock.tiers).map(([tier, at]) => [tier, seconds(at)])),
      },
    ])
  return writeJson(file, {
    ...(resetAt !== null && { reset_at: resetAt / SECOND_MS }),
    ...(home !== undefined && { hermes_home: home }),
    unlocks: Object.fromEntries(written),
  })
}
