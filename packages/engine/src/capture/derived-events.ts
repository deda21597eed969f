import type { HookReader } from './hook.ts'
import type { Intake } from './intake.ts'

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
