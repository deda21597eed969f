import { join, resolve } from 'node:path'
import type { Achieved, UnlockRow } from '@panoptes/engine/ledger'
import { hermesHome } from '@panoptes/engine/sources'
import type { Failure, Result } from '@panoptes/schema'
import { readState, writeState } from './state-file.ts'
import type { Unlock } from './unlocks.ts'
import type { NamedView } from './view.ts'

interface Setup {
  readonly view: NamedView
  readonly achieved: Achieved
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where they are written down for Hermes; nothing for a view that is not of its own sessions. */
  readonly file: string | undefined
  /** When its sessions were reset last, in milliseconds. */
  readonly since: () => string | undefined
}

/** What was unlocked in one view: in the ledger, and for Hermes in a file. */
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

  /** Reads it where it was not read yet. What others wrote down is taken into the ledger. */
  async load(): Promise<Failure | undefined> {
    if (this.#rows) return undefined
    const kept = await this.#setup.achieved.unlocks(this.#key)
    if (!kept.ok) return kept
    const rows = new Map(kept.value.map((row) => [row.id, row]))
    const imported = [...this.#imported()].flatMap(([id, unlock]): readonly UnlockRow[] =>
      rows.has(id) ? [] : [{ view: this.#key, id, doc: JSON.stringify(unlock) }],
    )
    const stored = imported.length === 0 ? undefined : await this.#setup.achieved.unlock(imported)
    if (stored && !stored.ok) return stored
    for (const row of imported) rows.set(row.id, row)
    this.#rows = rows
    return undefined
  }

  async add(rows: readonly UnlockRow[]): Promise<Failure | undefined> {
    if (rows.length === 0) return undefined
    const kept = await this.#setup.achieved.unlock(rows)
    if (!kept.ok) return kept
    for (const row of rows) this.#rows?.set(row.id, row)
    return undefined
  }

  async reset(): Promise<Result<number>> {
    const locked = await this.#setup.achieved.lock(this.#key)
    if (!locked.ok) return locked
    this.#rows = new Map()
    this.#resetAt = Date.now()
    return locked
  }

  /** Takes sessions out as evidence. The ledger does the same for itself. */
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

  /** Dates that Hermes' own plugin wrote down, and those of an older ledger; none from before a reset. */
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
