import { describe } from 'vitest'
import { describeBatches } from './batches.ts'
import type { IndexLab } from './lab.ts'
import { describeRecall } from './recall.ts'
import { describeSearching } from './searching.ts'
import { describeKeeping } from './sessions.ts'
import { describeStats } from './stats.ts'
import { describeWorks } from './works.ts'

/** Runs the conformance suite that every engine of the session index passes. */
export const describeSessionIndex = (name: string, lab: IndexLab): void => {
  describe(name, () => {
    describeKeeping(lab)
    describeBatches(lab)
    describeSearching(lab)
    describeRecall(lab)
    describeStats(lab)
    describeWorks(lab)
  })
}
