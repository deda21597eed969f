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
import { describeSubscribing } from './subscribing.ts'
import { describeTemplating } from './templating.ts'
import { describeTurning } from './turning.ts'

/** What every engine of the ledger has to do. It knows the port and nothing of any engine. */
export function describeLedger<Place>(name: string, lab: LedgerLab<Place>): void {
  describe(name, () => {
    const any = lab as LedgerLab
    describeAppending(any)
    describeReading(any)
    describeSubscribing(any)
    describeProjecting(any)
    describeHiding(any)
    describeMarking(any)
    describeMarked(any)
    describeAccounting(any)
    describeAchieving(any)
    describeTemplating(any)
    describeTurning(any)
    describeConversing(any)
    describeRewritingConversations(any)
    describeOwningConversations(any)
    describeFindingConversations(any)
    describeGoingOn(any)
    describeRebuilding(any)
    describeRetaining(any)
    describeForgetting(any)
    describeBackingUp(any)
    describeReplaying(any)
    describeAnyPast(any)
    describeLeading(any)
    describeLiving(any)
  })
}
