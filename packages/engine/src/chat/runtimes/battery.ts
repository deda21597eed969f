import { describe } from 'vitest'
import { describeAnswers } from './battery-answers.ts'
import { describeApprovals } from './battery-approvals.ts'
import { describeFaults } from './battery-faults.ts'
import type { RuntimeKit } from './battery-kit.ts'
import { setScene } from './battery-scene.ts'
import { describeStops } from './battery-stops.ts'
import { describeTogether } from './battery-together.ts'

export type { RuntimeKit } from './battery-kit.ts'

/** What every runtime has to stand. */
export function describeRuntime(name: string, kit: RuntimeKit): void {
  describe(`the runtime ${name}`, () => {
    const scene = setScene(kit)
    describeAnswers(scene)
    describeStops(scene)
    describeFaults(scene)
    describeApprovals(scene)
    describeTogether(scene)
  })
}
