import type { JournalLine } from '@panoptes/engine/store'
import type { Account } from '@panoptes/schema'
import { agentRow, claimRow, claimSays, digest } from './rows.ts'

/** A line that a journal must contain. */
export interface WantedLine extends JournalLine {
  readonly text: string
}

/**
 * Returns the lines that the journals must contain for a session. A claim is identified by its text
 * and its number among equal claims of the session, so it is the same however it was found.
 */
export function wantedLines({ source, session_id, agents, claims }: Account): readonly WantedLine[] {
  const of = { source, session_id }
  const rows = agents
    .filter(({ finished }) => finished)
    .map((agent) => toLine({ journal: 'agents', ...of, line: agent.agent_id }, agentRow(agent)))
  const like = new Map<string, number>()
  const claimLines = [...claims]
    .sort((one, other) => one.ts - other.ts)
    .map((claim) => {
      const says = claimSays(claim)
      const before = like.get(says) ?? 0
      like.set(says, before + 1)
      return toLine({ journal: 'claims', ...of, line: claimLine(says, before) }, claimRow(claim))
    })
  return [...rows, ...claimLines]
}

const toLine = (of: Omit<JournalLine, 'mark'>, text: string): WantedLine => ({
  ...of,
  mark: digest(text),
  text,
})

const claimLine = (says: string, before: number): string => `${says}#${before}`

export function claimOfLine(line: string): { readonly says: string; readonly before: number } {
  const at = line.lastIndexOf('#')
  return { says: line.slice(0, at), before: Number(line.slice(at + 1)) }
}

export const lineKey = ({ source, session_id, line }: Omit<JournalLine, 'mark' | 'journal'>): string =>
  JSON.stringify([source, session_id, line])
