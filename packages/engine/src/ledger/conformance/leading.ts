import { setTimeout } from 'node:timers/promises'
import { aborted } from '@panoptes/engine/waiting'
import { describe, expect, it } from 'vitest'
import { type LedgerLab, useLab } from './lab.ts'

export function describeLeading(lab: LedgerLab): void {
  describe('a job that one does at a time', () => {
    const bench = useLab(lab)

    it('is done by one of those who want it, and by the next when that one ends', async () => {
      const { ledger } = await bench.open()
      const began: string[] = []
      const ends = { first: new AbortController(), second: new AbortController() }
      const over = Object.entries(ends).map(([name, { signal }]) =>
        ledger.lead(
          'judge',
          async (leads) => {
            began.push(name)
            await aborted(leads)
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

    it('does not keep another job waiting', async () => {
      const { ledger } = await bench.open()
      const end = new AbortController()
      const began: string[] = []
      const over = (['judge', 'index', 'scan'] as const).map((job) =>
        ledger.lead(
          job,
          async (leads) => {
            began.push(job)
            await aborted(leads)
          },
          end.signal,
        ),
      )
      await expect.poll(() => began.toSorted()).toEqual(['index', 'judge', 'scan'])
      end.abort()
      await Promise.all(over)
    })

    it('is done again where the work ended or failed by itself', async () => {
      const { ledger } = await bench.open()
      const end = new AbortController()
      let times = 0
      const over = ledger.lead(
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

    it('ends when the ledger closes, also for who still waits', async () => {
      const { ledger } = await bench.open()
      const never = new AbortController().signal
      let leads: AbortSignal | undefined
      const over = [1, 2].map(() =>
        ledger.lead(
          'review',
          async (signal) => {
            leads = signal
            await aborted(signal)
          },
          never,
        ),
      )
      await expect.poll(() => leads).toBeDefined()
      await ledger.close()
      await Promise.all(over)
      expect(leads?.aborted).toBe(true)
    })

    it('never begins for who does not want it any more', async () => {
      const { ledger } = await bench.open()
      let began = false
      await ledger.lead(
        'scan',
        async () => {
          began = true
        },
        AbortSignal.abort(),
      )
      expect(began).toBe(false)
    })
  })
}
