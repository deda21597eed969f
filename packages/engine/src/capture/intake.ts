import type { Appended, Marks } from '@panoptes/engine/store'
import type { NewEvent, RejectedLine, Result } from '@panoptes/schema'
import type { Capture } from './capture.ts'
import type { HookReader } from './hook.ts'

/** Every input of the daemon appends its events here, so that they are counted in one place. */
export interface Intake {
  readonly capture: Capture
  /** The readers for the payloads of each source's hooks. */
  readonly readers: readonly HookReader[]
  readonly append: (events: readonly NewEvent[], marks?: Marks) => Promise<Result<Appended>>
  readonly rejected: (count: number, last: RejectedLine | undefined) => void
}

/** Wraps an intake so that after each append it asks the readers for derived events and appends those too. */
export function withAfterwards(intake: Intake): Intake {
  const learn = async (ask: NonNullable<HookReader['afterwards']>) => {
    const found = intake.capture.found(await ask())
    if (found.length > 0) await intake.append(found)
  }
  return {
    ...intake,
    append: async (events, marks) => {
      const appended = await intake.append(events, marks)
      if (appended.ok) for (const { afterwards } of intake.readers) if (afterwards) void learn(afterwards)
      return appended
    },
  }
}
