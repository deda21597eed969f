import type { Agent } from '@panoptes/schema'
import { isAgentRow, type Row } from './row.ts'

/** Returns the row as others see it, or undefined for rows that the projection keeps for itself. */
export function shownAgent(row: Row): Agent | undefined {
  if (!isAgentRow(row)) return undefined
  const { book: _book, ...agent } = row
  // A failed agent counts as a failure whatever its marker said before, as on the Ledger page.
  return agent.state === 'failed' ? { ...agent, outcome: 'fail' } : agent
}
