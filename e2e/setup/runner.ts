import { inject, type RunnerTask, type RunnerTestSuite, TestRunner } from 'vitest'
import { MissingPart } from './parts.ts'

/**
 * Runs tests as Vitest does, except that a test or a hook that throws a `MissingPart` is skipped with that reason and
 * does not fail. Vitest itself can skip a test while it runs, but not from a hook of its suite.
 */
export default class MissingPartsRunner extends TestRunner {
  override async onBeforeRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onBeforeRunSuite(suite)
    const reason = 'filepath' in suite ? missingPart(String(suite.filepath)) : undefined
    if (reason === undefined) return
    const hooks = TestRunner.getSuiteHooks(suite)
    hooks.afterAll = []
    hooks.beforeAll = [
      () => {
        throw new MissingPart(reason)
      },
    ]
  }

  override async onAfterRunSuite(suite: RunnerTestSuite): Promise<void> {
    await super.onAfterRunSuite(suite)
    skipIfMissing(suite)
  }

  override onAfterRunTask(test: RunnerTask): void {
    super.onAfterRunTask(test)
    skipIfMissing(test)
  }
}

/** Some files need a server that all tests of their project share. */
function missingPart(file: string): string | undefined {
  return inject('missingPostgres') ?? (file.endsWith('.nats.test.ts') ? inject('missingNats') : undefined)
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
