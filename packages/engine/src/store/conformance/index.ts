import { describe } from 'vitest'
import { describeAccounting } from './accounting.ts'
import { describeAchieving } from './achievements.ts'
import { describeMarked } from './annotations.ts'
import { describeAppending } from './appending.ts'
import { describeBackingUp } from './backing-up.ts'
import { describeGoingOn } from './conversation-context.ts'
import { describeConversing } from './conversing.ts'
import { describeFindingConversations } from './finding-conversations.ts'
import { describeForgetting } from './forgetting.ts'
import { describeHiding } from './hidden-sessions.ts'
import type { StoreLab } from './lab.ts'
import { describeLeading } from './leader-election.ts'
import { describeOwningConversations } from './owning-conversations.ts'
import { describeProjecting } from './projecting.ts'
import { describeAnyPast } from './random-past.ts'
import { describeReading } from './reading.ts'
import { describeRebuilding } from './rebuilding.ts'
import { describeRedacting } from './redacting.ts'
import { describeReplaying } from './replaying.ts'
import { describeLiving } from './responsiveness.ts'
import { describeRetaining } from './retaining.ts'
import { describeRewritingConversations } from './rewriting-conversations.ts'
import { describeScale } from './scale.ts'
import { describeSubscribing } from './subscribing.ts'
import { describeTemplating } from './template-uses.ts'
import { describeMarking } from './timeline-marks.ts'
import { describeTurning } from './turns.ts'

/** Checks how events are appended and what reads and projections return for them. */
export function describeLog(lab: StoreLab): void {
  describeAppending(lab)
  describeReading(lab)
  describeSubscribing(lab)
  describeProjecting(lab)
  describeHiding(lab)
  describeMarking(lab)
  describeLeading(lab)
  describeLiving(lab)
}

/** Checks the tables that are stored beside the events. */
export function describeTables(lab: StoreLab): void {
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

/** Checks rebuilding, retention, forgetting and backups. */
export function describeUpkeep(lab: StoreLab): void {
  describeRebuilding(lab)
  describeRetaining(lab)
  describeForgetting(lab)
  describeRedacting(lab)
  describeBackingUp(lab)
}

/** Checks replays of the past. `moments` sets at how many times random days are compared. */
export function describePast(lab: StoreLab, moments?: number): void {
  describeReplaying(lab)
  describeAnyPast(lab, moments)
}

export { describeAnyPast, describeScale }

/**
 * Runs the conformance suite that every engine of the store passes. The suite uses only the port and no
 * details of an engine.
 */
export function describeStore<Place>(name: string, lab: StoreLab<Place>): void {
  describe(name, () => {
    const any = lab as StoreLab
    describeLog(any)
    describeTables(any)
    describeUpkeep(any)
    describePast(any)
    describeScale(any)
  })
}
