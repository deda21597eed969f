import type { StoredEvent } from '@panoptes/schema'
import type { Rows } from '../projection.ts'
import { isAgentRow, MAIN, type Row } from './row.ts'
import { isAsking, toolIn } from './waits.ts'

/**
 * Whom a reminder is about. It names no agent: nobody new where one of the session asks already, else the one that is about
 * to use the tool it speaks of.
 */
export function askerOf(rows: Rows<Row>, group: string, event: StoredEvent): string | undefined {
  const agents = rows
    .alive(group)
    .map(([, row]) => row)
    .filter(isAgentRow)
  if (agents.some(isAsking)) return undefined
  const tool = toolIn(event.reason)
  const able = agents.filter(({ book }) => book.open.some((call) => call.tool === tool))
  return able.length === 1 ? able[0]?.id : MAIN
}
