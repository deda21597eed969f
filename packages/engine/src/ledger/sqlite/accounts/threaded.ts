import type { FlaggedAgent, Result } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import type { Accounts, KnownAccount, Rows } from '../../accounts-port.ts'
import type { ForgottenSessions } from '../../forgotten-sessions.ts'
import type { Threaded } from '../beside-log.ts'
import type { Texts } from './lists.ts'

/** What is of a forgotten session is not stored. */
export const accountsOf = ({ ask, order }: Threaded, forgotten: ForgottenSessions): Accounts => ({
  known: async (source) => {
    const known = new Map<string, KnownAccount>()
    const take = (part: readonly unknown[]) => {
      for (const each of part as readonly KnownAccount[]) known.set(each.id, each)
    }
    const rest = await ask('knownAccounts', [source], {}, take)
    if (!rest.ok) return rest
    take(rest.value)
    return success(known)
  },
  put: async (accounts, marks = {}) => order('putAccounts', [forgotten.without(accounts), marks]),
  get: (session) => ask('account', [session]),
  agents: async (query) => read(await ask('accountAgents', [query])),
  claims: async (query) => read(await ask('accountClaims', [query])),
  skillUses: async (query) => read(await ask('accountUses', [query])),
  followUps: async (query) => read(await ask('followUps', [query])),
  flagged: async (query) => read(await ask('flaggedAgents', [query]), shownFlagged),
  skills: (filter) => ask('accountSkills', [filter]),
  costs: (query) => ask('accountCosts', [query]),
  outcomes: (filter) => ask('outcomes', [filter]),
  totals: (filter) => ask('accountTotals', [filter]),
  journaled: (sessions) => ask('journaled', [sessions]),
  journal: (lines) => order('journalLines', [forgotten.without(lines)]),
})

/** Texts are cheaper to hand over between threads than what they say. */
function read<T>(texts: Result<Texts>, shown = (row: T): T => row): Result<Rows<T>> {
  if (!texts.ok) return texts
  const { total, docs } = texts.value
  return success({ total, rows: docs.map((doc) => shown(JSON.parse(doc))) })
}

const shownFlagged = (agent: FlaggedAgent): FlaggedAgent => ({
  source: agent.source,
  session_id: agent.session_id,
  agent_id: agent.agent_id,
  subagent_type: agent.subagent_type,
  description: agent.description,
  project: agent.project,
  outcome: agent.outcome,
  stubs: agent.stubs,
  last_at: agent.last_at,
  flags: agent.flags,
})
