import { describe } from 'vitest'
import { describeAccounting } from './accounting.ts'
import { describeAchieving } from './achieving.ts'
import { describeAnyPast } from './any-past.ts'
import { describeAppending } from './appending.ts'
import { describeBackingUp } from './backing-up.ts'
import { describeConversing } from './conversing.ts'
import { describeFindingConversations } from './finding-conversations.ts'
import { describeForgetting } from './forgetting.ts'
import { describeGoingOn } from './going-on.ts'
import { describeHiding } from './hiding.ts'
import type { LedgerLab } from './lab.ts'
import { describeLeading } from './leading.ts'
import { describeLiving } from './living.ts'
import { describeMarked } from './marked.ts'
import { describeMarking } from './marking.ts'
import { describeOwningConversations } from './owning-conversations.ts'
import { describeProjecting } from './projecting.ts'
import { describeReading } from './reading.ts'
import { describeRebuilding } from './rebuilding.ts'
import { describeReplaying } from './replaying.ts'
import { describeRetaining } from './retaining.ts'
import { describeRewritingConversations } from './rewriting-conversations.ts'
import { describeScale } from './scale.ts'
import { describeSubscribing } from './subscribing.ts'
import { describeTemplating } from './templating.ts'
import { describeTurning } from './turning.ts'

/** Appending events, and what reads and projections say of them. */
export function describeLog(lab: LedgerLab): void {
  describeAppending(lab)
  describeReading(lab)
  describeSubscribing(lab)
  describeProjecting(lab)
  describeHiding(lab)
  describeMarking(lab)
  describeLeading(lab)
  describeLiving(lab)
}

/** What is stored beside the events. */
export function describeTables(lab: LedgerLab): void {
  describeMarked(lab)
  describeAccounting(lab)
  describeAchieving(lab)
  describeTemplating(lab)
  describeTurning(lab)
  describeConversing(lab)
  describeRewritingConversations(lab)
  describeOwningConversations(lab)
  describeFindingConversations(lab)
  describeGoingOn(lab)
}

/** Rebuilding, retention, forgetting and backups. */
export function describeUpkeep(lab: LedgerLab): void {
  describeRebuilding(lab)
  describeRetaining(lab)
  describeForgetting(lab)
  describeBackingUp(lab)
}

/** Replaying the past; `moments` says at how many of them any days are compared. */
export function describePast(lab: LedgerLab, moments?: number): void {
  describeReplaying(lab)
  describeAnyPast(lab, moments)
}

export { describeAnyPast, describeScale }

/** What every engine of the ledger has to do. It knows the port and nothing of any engine. */
export function describeLedger<Place>(name: string, lab: LedgerLab<Place>): void {
  describe(name, () => {
    const any = lab as LedgerLab
    describeLog(any)
    describeTables(any)
    describeUpkeep(any)
    describePast(any)
    describeScale(any)
  })
}
