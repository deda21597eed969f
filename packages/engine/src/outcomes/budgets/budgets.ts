import { hash } from 'node:crypto'
import { hostname } from 'node:os'
import type { Accounts, Appended } from '@panoptes/engine/store'
import { type CommandInput, createCommandRunner } from '@panoptes/engine/user-command'
import { type Budget, type BudgetState, EVENT_VERSION, type NewEvent, type Result } from '@panoptes/schema'
import {
  type BudgetRules,
  budgetLevel,
  budgetName,
  currentPeriod,
  limitMicroUsd,
  readBudgetStates,
  readSpending,
  type SessionTotals,
  type Spending,
} from './state.ts'

export interface BudgetsOptions {
  readonly accounts: Pick<Accounts, 'costs'>
  readonly append: (events: readonly NewEvent[]) => Promise<Result<Appended>>
  readonly rules: BudgetRules
  /** The environment of the user's command; defaults to that of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined
  readonly now?: () => number
  readonly host?: string
  /** Called with the reason when the user's command failed. */
  readonly failed?: ((reason: string) => void) | undefined
}

/** Spending limits and their alerts. No method throws. */
export interface Budgets {
  readonly states: () => Promise<Result<readonly BudgetState[]>>
  /** Call it after something was spent. It does not wait for alerts. */
  readonly afterChange: () => void
  /** Starts alerting, also when a new day begins. A query alone never alerts. */
  readonly follow: () => void
  readonly unfollow: () => void
  /** Resolves when every pending alert is stored. */
  readonly settled: () => Promise<void>
  readonly stop: () => Promise<void>
}

const MAX_SENT_KEYS = 10_000
/** Fires just after midnight, and keeps within the longest delay of a timer. */
const AFTER_MIDNIGHT_MS = 1_000

export function createBudgets(options: BudgetsOptions): Budgets {
  const { accounts, rules } = options
  const now = options.now ?? Date.now
  const host = options.host ?? hostname()
  const runner =
    rules.command === null
      ? undefined
      : createCommandRunner({ command: rules.command, env: options.env, onFailure: options.failed })
  const sentKeys = new Set<string>()
  const totals: SessionTotals = new Map()
  let looking: Promise<void> | undefined
  let again = false
  let following = false
  let stopped = false
  let midnight: NodeJS.Timeout | undefined

  const look = async (): Promise<void> => {
    for (const budget of rules.limits) {
      const spending = await readSpending(accounts, budget, now(), totals)
      if (!spending.ok) continue
      for (const one of spending.value) {
        const alert = createAlert(budget, one, rules, { now: now(), host })
        if (alert && !sentKeys.has(alert.event.key)) await tell(alert)
      }
    }
  }

  const tell = async ({ event, input }: NonNullable<ReturnType<typeof createAlert>>): Promise<void> => {
    const stored = await options.append([event])
    if (!stored.ok) return
    if (sentKeys.size >= MAX_SENT_KEYS) sentKeys.clear()
    sentKeys.add(event.key)
    // An alert stored before a restart is not sent again.
    if (stored.value.accepted > 0) runner?.run(async () => input)
  }

  const afterChange = (): void => {
    if (!following || rules.limits.length === 0 || stopped) return
    again = true
    looking ??= (async () => {
      while (again && !stopped) {
        again = false
        await look()
      }
      looking = undefined
    })()
  }

  const waitForMidnight = (): void => {
    const wait = currentPeriod('day', now()).until - now() + AFTER_MIDNIGHT_MS
    midnight = setTimeout(() => {
      afterChange()
      waitForMidnight()
    }, wait)
    midnight.unref()
  }

  return {
    states: () => readBudgetStates(accounts, rules, now(), totals),
    afterChange,
    follow: () => {
      if (following || stopped) return
      following = true
      afterChange()
      waitForMidnight()
    },
    unfollow: () => {
      following = false
      clearTimeout(midnight)
    },
    settled: async () => looking,
    stop: async () => {
      stopped = true
      clearTimeout(midnight)
      await looking
      await runner?.stop()
    },
  }
}

const MICRO = 1_000_000

/** A budget that passed a level, as it is stored and reported. */
interface Alert {
  readonly event: NewEvent
  readonly input: CommandInput
}

/**
 * Builds the alert of a budget. Its key is the same for the same budget, period or session, and
 * level, so that it is stored once. The event does not name the session, because the session may be
 * forgotten while the event stays.
 */
function createAlert(
  budget: Budget,
  { micro, session }: Spending,
  { warn_at }: Pick<BudgetRules, 'warn_at'>,
  { now, host }: { readonly now: number; readonly host: string },
): Alert | null {
  const limit = limitMicroUsd(budget)
  const level = budgetLevel(micro, limit, warn_at)
  if (level === 'under') return null
  const { per, source, project } = budget
  const { first } = currentPeriod(per, now)
  const of = session ? [session.source, session.id] : [first]
  const key = hash(
    'sha256',
    JSON.stringify([per, source ?? null, project ?? null, limit, of, level]),
    'base64url',
  )
  const name = budgetName(budget)
  const [spent, most] = [micro / MICRO, limit / MICRO]
  const event: NewEvent = {
    v: EVENT_VERSION,
    key: `budget:${key.slice(0, 32)}`,
    ts: now,
    event: 'budget',
    source: 'panoptes',
    host,
    session_id: `budgets-${currentPeriod('day', now).first}`,
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
