import { type RunnerTask, type RunnerTestSuite, TestRunner } from 'vitest'
import { MissingPart } from './parts.ts'

/**
 * Runs tests as Vitest does, except that a test or a hook that throws a `MissingPart` is skipped with that reason and
 * does not fail. Vitest itself can skip a test while it runs, but not from a hook of its suite.
 */
export default class MissingPartsRunner extends TestRunner {
  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite)
    skipIfMissing(suite)
  }

  override onAfterRunTask(test: RunnerTask): void {
    super.onAfterRunTask(test)
    skipIfMissing(test)
  }
}

function skipIfMissing(task: RunnerTask): void {
  const [error] = task.result?.errors ?? []
  if (task.result === undefined || error?.name !== MissingPart.name) return
  task.mode = 'skip'
  const { errors: _, ...result } = task.result
  task.result = { ...result, state: 'skip' }
  task.meta.missingPart = error.message
}

declare module 'vitest' {
  interface TaskMeta {
    missingPart?: string
  }
}
