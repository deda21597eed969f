import type { Accounts } from '@panoptes/engine/store'
import type { Result, SessionRef } from '@panoptes/schema'
import { success } from '@panoptes/schema/result'
import { claimOfLine } from './expected-lines.ts'
import type { JournalFile } from './file.ts'
import { agentOfRow, claimOfRow } from './rows.ts'

interface Forgetting {
  readonly agents: JournalFile
  readonly claims: JournalFile
  readonly sessions: readonly SessionRef[]
  readonly accounts: Pick<Accounts, 'journaled'>
  readonly namesakes: (sessions: readonly SessionRef[]) => Promise<Result<readonly SessionRef[]>>
}

/**
 * Removes the lines of sessions. A claim's line names no source, so as many stay as sessions of the
 * same name in other sources have.
 */
export async function forgetLines(options: Forgetting): Promise<Result<number>> {
  const { agents, claims, sessions, accounts } = options
  const namesakes = await options.namesakes(sessions)
  if (!namesakes.ok) return namesakes
  const others = await accounts.journaled(namesakes.value)
  if (!others.ok) return others
  const otherCounts = new Map<string, number>()
  for (const { journal, session_id, line } of others.value) {
    if (journal !== 'claims') continue
    const key = JSON.stringify([session_id, claimOfLine(line).says])
    otherCounts.set(key, (otherCounts.get(key) ?? 0) + 1)
  }
  const names = new Set(sessions.map(({ source, id }) => JSON.stringify([source, id])))
  const ids = new Set(sessions.map(({ id }) => id))
  const ofAgents = await agents.rewrite(() => (line) => {
    const agent = agentOfRow(line)
    return agent && names.has(JSON.stringify([agent.source, agent.session_id])) ? null : undefined
  })
  const ofClaims = await claims.rewrite(() => {
    const left = new Map(otherCounts)
    return (line) => {
      const claim = claimOfRow(line)
      if (claim === undefined || !ids.has(claim.session_id)) return undefined
      const key = JSON.stringify([claim.session_id, claim.says])
      const stays = left.get(key) ?? 0
      left.set(key, stays - 1)
      return stays > 0 ? undefined : null
    }
  })
  return success(ofAgents + ofClaims)
}
