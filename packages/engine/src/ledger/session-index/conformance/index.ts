import { describe } from 'vitest'
import { describeBatches } from './batches.ts'
import { describeKeeping } from './keeping.ts'
import type { IndexLab } from './lab.ts'
import { describeRecall } from './recall.ts'
import { describeSearching } from './searching.ts'
import { describeStats } from './stats.ts'
import { describeWorks } from './works.ts'

/** What an engine of the index of sessions has to pass. */
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
