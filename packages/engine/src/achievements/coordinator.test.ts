import { failure, success } from '@panoptes/schema/result'
import { describe, expect, it } from 'vitest'
import { ScanCoordinator } from './coordinator.ts'

describe('scan coordinator', () => {
  it('runs one scan at a time, which callers share', async () => {
    const done = Promise.withResolvers<void>()
    let scans = 0
    const coordinator = new ScanCoordinator(
      async () => {
        scans += 1
        await done.promise
        return success({ problem: null })
      },
      () => true,
    )
    const runs = Array.from({ length: 200 }, (_, at) => coordinator.runIfNeeded(at % 2 === 0))
    expect(coordinator.getStatus()).toMatchObject({ state: 'running', run_count: 1 })
    done.resolve()
    await Promise.all(runs)
    expect(scans).toBe(1)
    expect(coordinator.getStatus()).toMatchObject({ state: 'idle', run_count: 1, last_error: null })
  })

  it('starts no scan unless one is needed or requested', async () => {
    let scans = 0
    const coordinator = new ScanCoordinator(
      async () => {
        scans += 1
        return success({ problem: null })
      },
      () => false,
    )
    expect(coordinator.runIfNeeded()).toBeUndefined()
    await coordinator.runIfNeeded(true)
    expect(scans).toBe(1)
  })

  it('reports failures and progress', async () => {
    const coordinator = new ScanCoordinator(
      async ({ progress }) => {
        progress(3, 10)
        expect(coordinator.getStatus().progress).toEqual({ done: 3, total: 10 })
        return failure('corrupt', 'It is damaged.')
      },
      () => true,
    )
    await coordinator.runIfNeeded()
    expect(coordinator.getStatus()).toMatchObject({
      state: 'failed',
      last_error: 'It is damaged.',
      progress: null,
    })
  })
})
