import { hash } from 'node:crypto'
import type { CommandInput } from '@panoptes/engine/command'
import { type Budget, EVENT_VERSION, type NewEvent } from '@panoptes/schema'
import { periodOf } from './period.ts'
import { type BudgetRules, levelOf, limitOf, nameOf, type Spending } from './state.ts'

const MICRO = 1_000_000

/** A level that a budget passed, as it is stored and told. */
export interface Alert {
  readonly event: NewEvent
  readonly input: CommandInput
}

/**
 * What is to be said of a budget that was passed. Its key is the same for the same budget, time or session, and level, so that it is
 * stored once. Which session it was is not in the event: a session may be forgotten, and this stays.
 */
export function alertOf(
  budget: Budget,
  { micro, session }: Spending,
  { warn_at }: Pick<BudgetRules, 'warn_at'>,
  { now, host }: { readonly now: number; readonly host: string },
): Alert | null {
  const limit = limitOf(budget)
  const level = levelOf(micro, limit, warn_at)
  if (level === 'under') return null
  const { per, source, project } = budget
  const { first } = periodOf(per, now)
  const of = session ? [session.source, session.id] : [first]
  const key = hash(
    'sha256',
    JSON.stringify([per, source ?? null, project ?? null, limit, of, level]),
    'base64url',
  )
  const name = nameOf(budget)
  const [spent, most] = [micro / MICRO, limit / MICRO]
  const event: NewEvent = {
    v: EVENT_VERSION,
    key: `budget:${key.slice(0, 32)}`,
    ts: now,
    event: 'budget',
    source: 'panoptes',
    host,
    session_id: `budgets-${periodOf('day', now).first}`,
    from_hook: true,
    budget: name.slice(0, 512),
    level,
    spent_usd: Math.min(spent, 1_000_000),
    limit_usd: most,
  }
  return {
    event,
    input: {
      json: JSON.stringify(event),
      env: {
        PANOPTES_EVENT: 'budget',
        PANOPTES_BUDGET: name,
        PANOPTES_LEVEL: level,
        PANOPTES_SPENT: spent.toFixed(2),
        PANOPTES_LIMIT: most.toFixed(2),
        PANOPTES_SESSION: session?.id ?? '',
        PANOPTES_REASON: `${name}: $${spent.toFixed(2)} of $${most.toFixed(2)}`,
      },
    },
  }
}
