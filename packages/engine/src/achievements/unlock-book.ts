import { join, resolve } from 'node:path'
import { hermesHome } from '@panoptes/engine/sources'
import type { AchievementStore, UnlockRow } from '@panoptes/engine/store'
import type { Failure, Result } from '@panoptes/schema'
import { TIERS, type TierName } from './achievement.ts'
import { readJson, writeJson } from './files.ts'
import type { Unlock } from './unlocks.ts'
import type { NamedView } from './view.ts'

interface Setup {
  readonly view: NamedView
  readonly achievementStore: AchievementStore
  readonly env: Readonly<Record<string, string | undefined>>
  /** The file for Hermes; undefined for a view of other sessions. */
  readonly file: string | undefined
  /** When its sessions were last reset, in milliseconds. */
  readonly since: () => string | undefined
}

/** The unlocks of one view: in the event store and, for Hermes, in a file. */
export class UnlockBook {
  readonly #setup: Setup
  readonly #key: string
  #rows: Map<string, UnlockRow> | undefined
  #resetAt: number | null = null

  constructor(setup: Setup) {
    this.#setup = setup
    this.#key = setup.view.key
  }

  rows(): readonly UnlockRow[] {
    return [...(this.#rows?.values() ?? [])]
  }

  /** Loads the unlocks once, and imports those that others wrote into the event store. */
  async load(): Promise<Failure | undefined> {
    if (this.#rows) return undefined
    const result = await this.#setup.achievementStore.unlocks(this.#key)
    if (!result.ok) return result
    const rows = new Map(result.value.map((row) => [row.id, row]))
    const imported = [...this.#imported()].flatMap(([id, unlock]): readonly UnlockRow[] =>
      rows.has(id) ? [] : [{ view: this.#key, id, doc: JSON.stringify(unlock) }],
    )
    const stored = imported.length === 0 ? undefined : await this.#setup.achievementStore.unlock(imported)
    if (stored && !stored.ok) return stored
    for (const row of imported) rows.set(row.id, row)
    this.#rows = rows
    return undefined
  }

  async add(rows: readonly UnlockRow[]): Promise<Failure | undefined> {
    if (rows.length === 0) return undefined
    const result = await this.#setup.achievementStore.unlock(rows)
    if (!result.ok) return result
    for (const row of rows) this.#rows?.set(row.id, row)
    return undefined
  }

  async reset(): Promise<Result<number>> {
    const locked = await this.#setup.achievementStore.lock(this.#key)
    if (!locked.ok) return locked
    this.#rows = new Map()
    this.#resetAt = Date.now()
    return locked
  }

  /** Removes sessions as evidence. The event store does the same for itself. */
  forget(ids: ReadonlySet<string>): void {
    for (const [id, row] of this.#rows ?? []) {
      const unlock = JSON.parse(row.doc) as Unlock
      if (!unlock.evidence || !ids.has(unlock.evidence.session_id)) continue
      this.#rows?.set(id, { ...row, doc: JSON.stringify({ ...unlock, evidence: null }) })
    }
  }

  write(): Failure | undefined {
    const { file } = this.#setup
    if (file === undefined || this.#rows === undefined) return undefined
    const unlocks = [...this.#rows].map(([id, { doc }]) => [id, JSON.parse(doc) as Unlock] as const)
    return writeState(file, new Map(unlocks), { resetAt: this.#resetAt, home: this.#home() })
  }

  /** Dates from Hermes' own plugin and from an older event store, except those before a reset. */
  #imported(): ReadonlyMap<string, Unlock> {
    const { file, view, since } = this.#setup
    if (view.source !== 'hermes' || view.hermesDb !== undefined || view.zone !== undefined) return new Map()
    const home = this.#home()
    const read = file === undefined ? undefined : readState(file)
    const own = read && (read.home ?? home) === home ? read : undefined
    const noted = since()
    this.#resetAt = noted === undefined ? (own?.resetAt ?? null) : Number(noted)
    const theirs = ['plugins', 'plugin-data'].flatMap((place) => [
      ...readState(join(home, place, 'hermes-achievements', 'state.json')).unlocks,
    ])
    const after = this.#resetAt ?? Number.NEGATIVE_INFINITY
    return new Map([...theirs.filter(([, { unlocked_at }]) => unlocked_at > after), ...(own?.unlocks ?? [])])
  }

  #home(): string {
    return resolve(hermesHome(this.#setup.env))
  }
}

const SECOND_MS = 1_000
/** The tolerated clock difference of two computers. */
const AHEAD_MS = 86_400_000

interface State {
  readonly unlocks: ReadonlyMap<string, Unlock>
  /** When everything was last reset, in milliseconds. */
  readonly resetAt: number | null
  /** The home of Hermes it belongs to; Hermes' plugin does not record it. */
  readonly home: string | undefined
}

/** Reads a `state.json` of Hermes' plugin or our own. Malformed entries are skipped. */
export function readState(file: string): State {
  const { unlocks, reset_at: reset, hermes_home: home } = (readJson(file) ?? {}) as Record<string, unknown>
  const entries = typeof unlocks === 'object' && unlocks !== null ? Object.entries(unlocks) : []
  return {
    unlocks: new Map(entries.flatMap(([id, one]) => parseUnlock(id, one as Written | null))),
    resetAt: parseTime(reset) ?? null,
    home: typeof home === 'string' ? home : undefined,
  }
}

function parseUnlock(id: string, one: Written | null): readonly (readonly [string, Unlock])[] {
  const at = parseTime(one?.unlocked_at)
  if (one === null || at === undefined) return []
  const first = TIERS.find((tier) => tier === one.first_tier) ?? null
  const dates = parseDates(one.tiers)
  const tiers = first === null ? dates : { [first]: at, ...dates }
  return [[id, { unlocked_at: at, first_tier: first, evidence: parseEvidence(one.evidence), tiers }]]
}

interface Written {
  readonly unlocked_at?: unknown
  readonly first_tier?: unknown
  readonly evidence?: unknown
  readonly tiers?: unknown
}

function parseDates(tiers: unknown): Partial<Record<TierName, number>> {
  if (typeof tiers !== 'object' || tiers === null) return {}
  return Object.fromEntries(
    Object.entries(tiers).flatMap(([tier, at]) =>
      TIERS.includes(tier as TierName) && parseTime(at) !== undefined ? [[tier, parseTime(at)]] : [],
    ),
  )
}

/** Milliseconds; undefined for a time before 1970 or in the future. */
function parseTime(seconds: unknown): number | undefined {
  if (typeof seconds !== 'number') return undefined
  const ms = seconds * SECOND_MS
  return ms >= 0 && ms <= Date.now() + AHEAD_MS ? ms : undefined
}

function parseEvidence(value: unknown): Unlock['evidence'] {
  const { session_id: session, title, value: count, source } = (value ?? {}) as Record<string, unknown>
  if (typeof session !== 'string' || !Number.isSafeInteger(count)) return null
  return {
    session_id: session,
    title: typeof title === 'string' ? title : '',
    value: count as number,
    ...(typeof source === 'string' && { source }),
  }
}

/** The format of Hermes' plugin; `tiers`, `reset_at` and `hermes_home` are ours. */
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
