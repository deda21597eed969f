import { hostname } from 'node:os'
import { createCommandRunner } from '@panoptes/engine/command'
import type { Accounts, Appended } from '@panoptes/engine/ledger'
import type { BudgetState, NewEvent, Result } from '@panoptes/schema'
import { alertOf } from './alert.ts'
import { periodOf } from './period.ts'
import { type BudgetRules, budgetsOf, type SessionTotals, spendingOf } from './state.ts'

export interface BudgetsOptions {
  readonly accounts: Pick<Accounts, 'costs'>
  readonly append: (events: readonly NewEvent[]) => Promise<Result<Appended>>
  readonly rules: BudgetRules
  /** The variables that the person's command gets; those of this process where nobody says. */
  readonly env?: NodeJS.ProcessEnv | undefined
  readonly now?: () => number
  readonly host?: string
  /** Why a run of the person's command failed. */
  readonly failed?: ((reason: string) => void) | undefined
}

/** What money may be spent, and who is told when it is. No method throws. */
export interface Budgets {
  readonly states: () => Promise<Result<readonly BudgetState[]>>
  /** Something was spent: whoever calls is not kept waiting for what is told. */
  readonly afterChange: () => void
  /** From here on it is told what is passed, also when a day begins. Who only asks how budgets stand tells nobody. */
  readonly follow: () => void
  readonly unfollow: () => void
  /** Ends when everything that was to be told is stored. */
  readonly settled: () => Promise<void>
  readonly stop: () => Promise<void>
}

const MOST_TOLD = 10_000
/** A day that just began, and no timer that waits for longer than timers can. */
const AFTER_MIDNIGHT_MS = 1_000

export function createBudgets(options: BudgetsOptions): Budgets {
  const { accounts, rules } = options
  const now = options.now ?? Date.now
  const host = options.host ?? hostname()
  const runner =
    rules.command === null
      ? undefined
      : createCommandRunner({ command: rules.command, env: options.env, failed: options.failed })
  const told = new Set<string>()
  const totals: SessionTotals = new Map()
  let looking: Promise<void> | undefined
  let again = false
  let following = false
  let stopped = false
  let midnight: NodeJS.Timeout | undefined

  const look = async (): Promise<void> => {
    for (const budget of rules.limits) {
      const spending = await spendingOf(accounts, budget, now(), totals)
      if (!spending.ok) continue
      for (const one of spending.value) {
        const alert = alertOf(budget, one, rules, { now: now(), host })
        if (alert && !told.has(alert.event.key)) await tell(alert)
      }
    }
  }

  const tell = async ({ event, input }: NonNullable<ReturnType<typeof alertOf>>): Promise<void> => {
    const stored = await options.append([event])
    if (!stored.ok) return
    if (told.size >= MOST_TOLD) told.clear()
    told.add(event.key)
    // What was told before a restart is not told again.
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
    const wait = periodOf('day', now()).until - now() + AFTER_MIDNIGHT_MS
    midnight = setTimeout(() => {
      afterChange()
      waitForMidnight()
    }, wait)
    midnight.unref()
  }

  return {
    states: () => budgetsOf(accounts, rules, now(), totals),
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
