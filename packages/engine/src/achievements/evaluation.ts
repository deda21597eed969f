import type { UnlockRow } from '@panoptes/engine/store'
import type { AchievementItem } from '@panoptes/schema'
import { buildItems } from './achievement-items.ts'
import { type Aggregated, aggregate, type Contribution } from './aggregate.ts'
import type { Calendar } from './calendar.ts'
import type { Evaluated, ViewRequest } from './calls.ts'
import { CATALOGUE } from './catalogue.ts'
import { MOST_SKIPPED, type Skip } from './skips.ts'
import { mergeUnlocks, type Unlock, type Unlocks } from './unlocks.ts'

/** The values summed over sessions. */
export interface Summed {
  readonly aggregated: Aggregated
  readonly sessions: number
  readonly messages: number
  readonly skipped: readonly Skip[]
}

export function summed(contributions: readonly Contribution[], calendar: Calendar): Summed {
  const skipped: Skip[] = []
  let messages = 0
  for (const { values, skipped: some } of contributions) {
    messages += values.message_count
    if (some && skipped.length < MOST_SKIPPED) skipped.push(...some)
  }
  return {
    aggregated: aggregate(contributions, calendar, CATALOGUE),
    sessions: contributions.length,
    messages,
    skipped: skipped.slice(0, MOST_SKIPPED),
  }
}

export function evaluated({ aggregated: sums, ...counts }: Summed, request: ViewRequest): Evaluated {
  const aggregated = request.isHermes ? { ...sums, evidence: plain(sums.evidence) } : sums
  const before: Unlocks = new Map(request.unlocks.map(({ id, doc }) => [id, JSON.parse(doc) as Unlock]))
  const now = mergeUnlocks(CATALOGUE, aggregated, before)
  const unlocked = [...now].flatMap(([id, unlock]): readonly UnlockRow[] =>
    before.get(id) === unlock ? [] : [{ view: request.view, id, doc: JSON.stringify(unlock) }],
  )
  return {
    ...counts,
    items: buildItems(CATALOGUE, aggregated, now),
    aggregate: aggregated.aggregate,
    unlocked,
  }
}

const plain = (evidence: Aggregated['evidence']): Aggregated['evidence'] =>
  Object.fromEntries(
    Object.entries(evidence).map(([name, one]) => {
      const { source: _hermes, ...rest } = one ?? {}
      return [name, one && rest]
    }),
  )

/** Returns what one session alone would have unlocked. */
export function findBadges(contribution: Contribution, calendar: Calendar): readonly AchievementItem[] {
  const { aggregated } = summed([contribution], calendar)
  const unlocks = mergeUnlocks(CATALOGUE, aggregated, new Map())
  return buildItems(CATALOGUE, aggregated, unlocks).filter(({ unlocked }) => unlocked)
}
