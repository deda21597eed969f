import type { AchievementsView, ScanMeta } from '@panoptes/schema'
import { buildItems } from './achievement-items.ts'
import { aggregate as sum } from './aggregate.ts'
import type { Evaluated } from './calls.ts'
import { CATALOGUE } from './catalogue.ts'
import type { Snapshot } from './snapshot-store.ts'

const SECOND_MS = 1_000

/** Builds what is served: the current catalogue. Only the evidence refers to single sessions. */
export function buildSnapshot(
  view: AchievementsView,
  zone: string,
  { items, aggregate }: Pick<Evaluated, 'items'> & Partial<Pick<Evaluated, 'aggregate'>>,
  meta: ScanMeta,
  now: number = Date.now(),
): Snapshot {
  const inState = (state: string): number => items.filter((item) => item.state === state).length
  return {
    generated_at: now / SECOND_MS,
    scan_meta: meta,
    achievements: [...items],
    unlocked_count: inState('unlocked'),
    discovered_count: inState('discovered'),
    secret_count: inState('secret'),
    total_count: items.length,
    error: null,
    view,
    time_zone: zone,
    ...(aggregate && { aggregate: { ...aggregate } }),
  }
}

const NEVER = { zone: 'UTC', isWeekend: () => false, isNight: () => false }
const NOTHING: ScanMeta = {
  duration_ms: 0,
  sessions_scanned: 0,
  messages_scanned: 0,
  mode: 'pending',
  error: null,
  sessions_total: 0,
  sessions_rescanned: 0,
  sessions_reused: 0,
  skipped: [],
}

/** The catalogue before anything was read. */
export const nothingYet = (
  view: AchievementsView,
  zone: string,
  mode: 'pending' | 'in_progress' = 'pending',
): Snapshot =>
  buildSnapshot(
    view,
    zone,
    { items: buildItems(CATALOGUE, sum([], NEVER, CATALOGUE), new Map()) },
    { ...NOTHING, mode },
    0,
  )

/** It could not be stored but is shown anyway. */
export const withError = (snapshot: Snapshot, error: string): Snapshot => ({
  ...snapshot,
  error,
  scan_meta: { ...snapshot.scan_meta, error },
})

/** True if something could not be read when it was counted. */
export const isPart = (snapshot: Snapshot | undefined): boolean =>
  snapshot !== undefined && snapshot.error === null && snapshot.scan_meta.error !== null
