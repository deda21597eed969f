import type { ContributionRow, UnlockRow } from '@panoptes/engine/ledger'
import type { AchievementItem, SessionRef } from '@panoptes/schema'
import { type Aggregated, aggregate, type Contribution } from './aggregate.ts'
import type { Calendar } from './calendar.ts'
import type { Evaluated, ViewRequest } from './calls.ts'
import { CATALOGUE } from './catalogue.ts'
import { itemsOf } from './items.ts'
import { type Kept, keptOf } from './kept.ts'
import { type Unlock, type Unlocks, unlocksOf } from './unlocks.ts'

/** All contributions there are, by scope. */
export class Contributions {
  readonly #scopes = new Map<string, Map<string, Kept>>()

  know(scope: string, rows: readonly ContributionRow[]): void {
    const known = this.of(scope)
    for (const row of rows) known.set(row.id, keptOf(row))
  }

  has(scope: string): boolean {
    return this.#scopes.has(scope)
  }

  of(scope: string): Map<string, Kept> {
    const known = this.#scopes.get(scope) ?? new Map<string, Kept>()
    this.#scopes.set(scope, known)
    return known
  }

  drop(scope: string): void {
    this.#scopes.delete(scope)
  }

  /** The numbers stay, under a name that says nothing. */
  forget({ id }: SessionRef): void {
    for (const known of this.#scopes.values()) {
      const kept = known.get(id)
      if (kept === undefined) continue
      known.delete(id)
      const nameless = crypto.randomUUID()
      if (kept.contribution)
        known.set(nameless, {
          fingerprint: '',
          contribution: { ...kept.contribution, session_id: nameless, title: '' },
        })
    }
  }

  /** Those that count, the oldest first. */
  counted(scopes: readonly string[]): Contribution[] {
    const all = scopes.flatMap((scope) =>
      [...(this.#scopes.get(scope)?.values() ?? [])].flatMap(({ contribution }) => contribution ?? []),
    )
    return all.sort((a, b) => (a.started_at ?? 0) - (b.started_at ?? 0))
  }
}

export function evaluate(
  contributions: readonly Contribution[],
  request: ViewRequest,
  calendar: Calendar,
): Evaluated {
  const aggregated = aggregate(contributions, calendar, CATALOGUE)
  const before: Unlocks = new Map(request.unlocks.map(({ id, doc }) => [id, JSON.parse(doc) as Unlock]))
  const now = unlocksOf(CATALOGUE, aggregated, before)
  const unlocked = [...now].flatMap(([id, unlock]): readonly UnlockRow[] =>
    before.get(id) === unlock ? [] : [{ view: request.view, id, doc: JSON.stringify(unlock) }],
  )
  return {
    items: itemsOf(CATALOGUE, aggregated, now),
    aggregate: aggregated.aggregate,
    sessions: contributions.length,
    messages: contributions.reduce((sum, { values }) => sum + values.message_count, 0),
    unlocked,
  }
}

/** What one session alone would have unlocked. */
export function badgesOf(contribution: Contribution, calendar: Calendar): readonly AchievementItem[] {
  const aggregated: Aggregated = aggregate([contribution], calendar, CATALOGUE)
  const unlocks = unlocksOf(CATALOGUE, aggregated, new Map())
  return itemsOf(CATALOGUE, aggregated, unlocks).filter(({ unlocked }) => unlocked)
}
