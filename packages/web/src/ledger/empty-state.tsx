import type { LedgerOverview } from '@panoptes/schema'
import { NothingYet } from '../design/nothing-yet.tsx'
import { words } from '../words.ts'

const w = words.ledger.empty

/** Shown before any agent was counted: how outcomes get here. */
export function NothingInLedger() {
  return (
    <NothingYet title={w.title} sources={w.sources}>
      <p className="text-text-2">{w.body}</p>
      <p className="text-text-2">{w.next}</p>
    </NothingYet>
  )
}

export const isNothing = ({ sessions, agents, claims, followups }: LedgerOverview): boolean =>
  sessions + agents + claims + followups === 0
