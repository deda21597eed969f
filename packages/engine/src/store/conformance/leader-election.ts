import { setTimeout } from 'node:timers/promises'
import { waitForAbort } from '@panoptes/engine/abortable'
import { describe, expect, it } from 'vitest'
import { type StoreLab, useLab } from './lab.ts'

export function describeLeading(lab: StoreLab): void {
  describe('leader election', () => {
    const bench = useLab(lab)

    it('gives a job to one process, and to the next when that one ends', async () => {
      const { store } = await bench.open()
      const began: string[] = []
      const ends = { first: new AbortController(), second: new AbortController() }
      const over = Object.entries(ends).map(([name, { signal }]) =>
        store.lead(
          'judge',
          async (leads) => {
            began.push(name)
            await waitForAbort(leads)
          },
          signal,
        ),
      )
      await expect.poll(() => began).toEqual(['first'])
      await setTimeout(700)
      expect(began).toEqual(['first'])
      ends.first.abort()
      await over[0]
      await expect.poll(() => began).toEqual(['first', 'second'])
      ends.second.abort()
      await over[1]
    })

    it('does not block another job', async () => {
      const { store } = await bench.open()
      const end = new AbortController()
      const began: string[] = []
      const over = (['judge', 'index', 'limits'] as const).map((job) =>
        store.lead(
          job,
          async (leads) => {
            began.push(job)
            await waitForAbort(leads)
          },
          end.signal,
        ),
      )
      await expect.poll(() => began.toSorted()).toEqual(['index', 'judge', 'limits'])
      end.abort()
      await Promise.all(over)
    })

    it('runs the job again when the work ended or failed', async () => {
      const { store } = await bench.open()
      const end = new AbortController()
      let times = 0
      const over = store.lead(
        'limits',
        async () => {
          times += 1
          if (times === 1) throw new Error('something went wrong')
        },
        end.signal,
      )
      await expect.poll(() => times).toBeGreaterThanOrEqual(2)
      end.abort()
      await over
    })

    it('ends when the store closes, even for processes that still wait', async () => {
      const { store } = await bench.open()
      const never = new AbortController().signal
      let leads: AbortSignal | undefined
      const over = [1, 2].map(() =>
        store.lead(
          'limits',
          async (signal) => {
            leads = signal
            await waitForAbort(signal)
          },
          never,
        ),
      )
      await expect.poll(() => leads).toBeDefined()
      await store.close()
      await Promise.all(over)
      expect(leads?.aborted).toBe(true)
    })

    it('never starts the job for a caller that gave up', async () => {
      const { store } = await bench.open()
      let began = false
      await store.lead(
        'index',
        async () => {
          began = true
        },
        AbortSignal.abort(),
      )
      expect(began).toBe(false)
    })
  })
}
