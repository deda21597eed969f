import type { JournalLine } from '@panoptes/engine/ledger'
import type { Account } from '@panoptes/schema'
import { agentRow, claimRow, claimSays, digest } from './rows.ts'

/** A line as it is to be in a journal. */
export interface WantedLine extends JournalLine {
  readonly text: string
}

/**
 * What the journals are to hold of a session. A claim is known by what it says and which of its like in the session it is, so that it is
 * the same one however it came to be known.
 */
export function wantedOf({ source, session_id, agents, claims }: Account): readonly WantedLine[] {
  const of = { source, session_id }
  const rows = agents
    .filter(({ finished }) => finished)
    .map((agent) => lineOf({ journal: 'agents', ...of, line: agent.agent_id }, agentRow(agent)))
  const like = new Map<string, number>()
  const said = [...claims]
    .sort((one, other) => one.ts - other.ts)
    .map((claim) => {
      const says = claimSays(claim)
      const before = like.get(says) ?? 0
      like.set(says, before + 1)
      return lineOf({ journal: 'claims', ...of, line: claimLine(says, before) }, claimRow(claim))
    })
  return [...rows, ...said]
}

const lineOf = (of: Omit<JournalLine, 'mark'>, text: string): WantedLine => ({
  ...of,
  mark: digest(text),
  text,
})

const claimLine = (says: string, before: number): string => `${says}#${before}`

export function claimOfLine(line: string): { readonly says: string; readonly before: number } {
  const at = line.lastIndexOf('#')
  return { says: line.slice(0, at), before: Number(line.slice(at + 1)) }
}

export const keyOf = ({ source, session_id, line }: Omit<JournalLine, 'mark' | 'journal'>): string =>
  JSON.stringify([source, session_id, line])
