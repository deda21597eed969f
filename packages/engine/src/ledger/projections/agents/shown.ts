import type { Agent } from '@panoptes/schema'
import { isAgentRow, type Row } from './row.ts'

/** The row as others see it; nothing for what the projection keeps for itself. */
export function shownAgent(row: Row): Agent | undefined {
  if (!isAgentRow(row)) return undefined
  const { book: _book, ...agent } = row
  return agent
}
