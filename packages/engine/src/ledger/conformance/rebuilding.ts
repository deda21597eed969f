import { describe, expect, it } from 'vitest'
import { fold } from './fold.ts'
import { appendAll, day, numbered } from './kit.ts'
import { type LedgerLab, useLab, useOne, value } from './lab.ts'
import { projected, sorted } from './projecting.ts'

export function describeRebuilding(lab: LedgerLab): void {
  describe('rebuilding', () => {
    const bench = useLab(lab)

    it('gives the projections there were already, and finds no difference', async () => {
      const { ledger } = await bench.open()
      await appendAll(ledger, day(51, 5_000))
      const before = await projected(ledger)
      const checked = value(await ledger.rebuild({ check: true }))
      expect(checked).toMatchObject({ events: 5_000, differences: 0, applied: false })
      expect(checked.rows).toBeGreaterThanOrEqual(1 + before.agents.length + before.sessions.length)
      expect(value(await ledger.rebuild({ check: false }))).toMatchObject({ events: 5_000, differences: 0 })
      expect(await projected(ledger)).toEqual(before)
    })

    it('works on an empty ledger', async () => {
      const { ledger } = await bench.open()
      expect(value(await ledger.rebuild({ check: true }))).toMatchObject({ events: 0, differences: 0 })
      expect(value(await ledger.rebuild({ check: false }))).toMatchObject({ events: 0, differences: 0 })
    })

    it('does not begin when it was stopped before', async () => {
      const { ledger } = await bench.open()
      await appendAll(ledger, day(56, 2_000))
      const stopped = await ledger.rebuild({ check: false, signal: AbortSignal.abort() })
      expect(stopped).toMatchObject({ ok: false, code: 'stopped' })
    })

    it('counts a spoiled row when it checks, and mends it when it does not', async (test) => {
      const opened = await bench.open()
      await appendAll(opened.ledger, day(57, 1_000))
      const before = await projected(opened.ledger)
      if (bench.spoil === undefined) return test.skip('this engine cannot be changed from outside')
      await opened.ledger.close()
      await bench.spoil(opened)
      const { ledger } = await bench.reopen(opened)
      expect(await projected(ledger)).not.toEqual(before)
      const checked = value(await ledger.rebuild({ check: true }))
      expect(checked.differences).toBeGreaterThan(0)
      expect(checked.applied).toBe(false)
      expect(await projected(ledger)).not.toEqual(before)
      expect(value(await ledger.rebuild({ check: false }))).toMatchObject({
        differences: checked.differences,
        applied: true,
      })
      expect(await projected(ledger)).toEqual(before)
      await appendAll(ledger, day(58, 300))
      expect(await projected(ledger)).toEqual(sorted(fold(numbered([...day(57, 1_000), ...day(58, 300)]))))
    })
  })

  describe('rebuilding a long log', () => {
    const list = day(53, 26_000)
    const one = useOne(lab, (ledger) => appendAll(ledger, list.slice(0, 16_000)))

    it('says how far it is', async () => {
      const { ledger } = one()
      const steps: (readonly [number, number])[] = []
      value(await ledger.rebuild({ check: true, onProgress: (done, total) => steps.push([done, total]) }))
      expect(steps.length).toBeGreaterThan(2)
      expect(steps.map(([done]) => done)).toEqual(steps.map(([done]) => done).toSorted((a, b) => a - b))
      for (const [done, total] of steps) expect(done).toBeLessThanOrEqual(total)
    })

    for (const check of [true, false]) {
      it(`leaves everything as it was when it is stopped${check ? ' while it checks' : ''}`, async () => {
        const { ledger } = one()
        const before = await projected(ledger)
        const stop = new AbortController()
        const stopped = await ledger.rebuild({ check, signal: stop.signal, onProgress: () => stop.abort() })
        expect(stopped).toMatchObject({ ok: false, code: 'stopped' })
        expect(await projected(ledger)).toEqual(before)
        const { last } = value(await ledger.head())
        await appendAll(ledger, list.slice(last, last + 500))
        expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
      })

      it(`lets appends go on meanwhile${check ? ' when it only checks' : ''}, and counts them once`, async () => {
        const { ledger } = one()
        let { last: at } = value(await ledger.head())
        const end = at + 4_000
        let during = 0
        let running = true
        const rebuilding = ledger.rebuild({ check }).finally(() => {
          running = false
        })
        while (at < end) {
          value(await ledger.append(list.slice(at, at + 50)))
          at += 50
          if (running) during += 1
        }
        expect(value(await rebuilding)).toMatchObject({ differences: 0 })
        expect(during).toBeGreaterThan(0)
        expect(await projected(ledger)).toEqual(sorted(fold(numbered(list.slice(0, end)))))
        expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
      })
    }
  })
}
