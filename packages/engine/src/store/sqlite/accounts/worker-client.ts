import { success } from '@panoptes/schema/result'
import { readRows, toFlaggedAgent } from '../../accounts/rows.ts'
import type { AccountFingerprint, Accounts } from '../../accounts-port.ts'
import type { ForgottenSessions } from '../../forgotten-sessions.ts'
import type { Threaded } from '../worker-client.ts'
import { readCosts } from './cost-rows.ts'

/** An account changes about this many pages: its rows, and the sums it belongs to. */
const PAGES_AN_ACCOUNT = 40

/**
 * Skips everything of forgotten sessions. `changed` is called with the approximate number of pages written.
 */
export const createAccounts = (
  { ask, order }: Threaded,
  forgotten: ForgottenSessions,
  changed: (pages: number) => void,
): Accounts => ({
  fingerprints: async (source) => {
    const accounts = new Map<string, AccountFingerprint>()
    const take = (part: readonly unknown[]) => {
      for (const each of part as readonly AccountFingerprint[]) accounts.set(each.id, each)
    }
    const rest = await ask('knownAccounts', [source], {}, take)
    if (!rest.ok) return rest
    take(rest.value)
    return success(accounts)
  },
  put: async (accounts, marks = {}) => {
    const done = await order('putAccounts', [forgotten.dropForgotten(accounts), marks])
    changed(accounts.length * PAGES_AN_ACCOUNT)
    return done
  },
  get: (session) => ask('account', [session]),
  agents: async (query) => readRows(await ask('accountAgents', [query])),
  claims: async (query) => readRows(await ask('accountClaims', [query])),
  skillUses: async (query) => readRows(await ask('accountUses', [query])),
  followUps: async (query) => readRows(await ask('followUps', [query])),
  flagged: async (query) => readRows(await ask('flaggedAgents', [query]), toFlaggedAgent),
  skills: (filter) => ask('accountSkills', [filter]),
  costs: async (query) => {
    const text = await ask('accountCosts', [query])
    return text.ok ? success(readCosts(text.value, query)) : text
  },
  outcomes: (filter) => ask('outcomes', [filter]),
  totals: (filter) => ask('accountTotals', [filter]),
  journaled: (sessions) => ask('journaled', [sessions]),
  journal: (lines) => order('journalLines', [forgotten.dropForgotten(lines)]),
})
