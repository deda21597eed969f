import { describe, expect, it } from 'vitest'
import { appendAll, day, numbered } from './event-kit.ts'
import { fold } from './fold.ts'
import { type StoreLab, useLab, useOne, value } from './lab.ts'
import { projected, sorted } from './projecting.ts'

export function describeRebuilding(lab: StoreLab): void {
  describe('rebuilding', () => {
    const bench = useLab(lab)

    it('produces the same projections and finds no difference', async () => {
      const { store } = await bench.open()
      await appendAll(store, day(51, 5_000))
      const before = await projected(store)
      const checked = value(await store.rebuild({ check: true }))
      expect(checked).toMatchObject({ events: 5_000, differences: 0, applied: false })
      expect(checked.rows).toBeGreaterThanOrEqual(1 + before.agents.length + before.sessions.length)
      expect(value(await store.rebuild({ check: false }))).toMatchObject({ events: 5_000, differences: 0 })
      expect(await projected(store)).toEqual(before)
    })

    it('works on an empty store', async () => {
      const { store } = await bench.open()
      expect(value(await store.rebuild({ check: true }))).toMatchObject({ events: 0, differences: 0 })
      expect(value(await store.rebuild({ check: false }))).toMatchObject({ events: 0, differences: 0 })
    })

    it('does not begin when it was already stopped', async () => {
      const { store } = await bench.open()
      await appendAll(store, day(56, 2_000))
      const stopped = await store.rebuild({ check: false, signal: AbortSignal.abort() })
      expect(stopped).toMatchObject({ ok: false, code: 'stopped' })
    })

    it('counts a spoiled row in a check, and repairs it otherwise', async (test) => {
      const opened = await bench.open()
      await appendAll(opened.store, day(57, 1_000))
      const before = await projected(opened.store)
      if (bench.spoil === undefined) return test.skip('this engine cannot be changed from outside')
      await opened.store.close()
      await bench.spoil(opened)
      const { store } = await bench.reopen(opened)
      expect(await projected(store)).not.toEqual(before)
      const checked = value(await store.rebuild({ check: true }))
      expect(checked.differences).toBeGreaterThan(0)
      expect(checked.applied).toBe(false)
      expect(checked.wrong).toEqual([
        { projection: 'agents', how: 'missing', rows: 3, example: expect.stringMatching(/^\S+ \S+/) },
        { projection: 'counters', how: 'changed', rows: 1, example: 'all' },
      ])
      expect(await projected(store)).not.toEqual(before)
      expect(value(await store.rebuild({ check: false }))).toMatchObject({
        differences: checked.differences,
        applied: true,
      })
      expect(await projected(store)).toEqual(before)
      await appendAll(store, day(58, 300))
      expect(await projected(store)).toEqual(sorted(fold(numbered([...day(57, 1_000), ...day(58, 300)]))))
    })
  })

  describe('rebuilding a long log', () => {
    const list = day(53, 26_000)
    const one = useOne(lab, (store) => appendAll(store, list.slice(0, 16_000)))

    it('reports progress', async () => {
      const { store } = one()
      const steps: (readonly [number, number])[] = []
      value(await store.rebuild({ check: true, onProgress: (done, total) => steps.push([done, total]) }))
      expect(steps.length).toBeGreaterThan(2)
      expect(steps.map(([done]) => done)).toEqual(steps.map(([done]) => done).toSorted((a, b) => a - b))
      for (const [done, total] of steps) expect(done).toBeLessThanOrEqual(total)
    })

    for (const check of [true, false]) {
      it(`leaves everything unchanged when it is stopped${check ? ' during a check' : ''}`, async () => {
        const { store } = one()
        const before = await projected(store)
        const stop = new AbortController()
        const stopped = await store.rebuild({ check, signal: stop.signal, onProgress: () => stop.abort() })
        expect(stopped).toMatchObject({ ok: false, code: 'stopped' })
        expect(await projected(store)).toEqual(before)
        const { last } = value(await store.head())
        await appendAll(store, list.slice(last, last + 500))
        expect(value(await store.rebuild({ check: true })).differences).toBe(0)
      })

      it(`lets appends continue meanwhile${check ? ' during a check' : ''}, and counts them once`, async () => {
        const { store } = one()
        let { last: at } = value(await store.head())
        const end = at + 4_000
        let during = 0
        let running = true
        const rebuilding = store.rebuild({ check }).finally(() => {
          running = false
        })
        while (at < end) {
          value(await store.append(list.slice(at, at + 50)))
          at += 50
          if (running) during += 1
        }
        expect(value(await rebuilding)).toMatchObject({ differences: 0 })
        expect(during).toBeGreaterThan(0)
        expect(await projected(store)).toEqual(sorted(fold(numbered(list.slice(0, end)))))
        expect(value(await store.rebuild({ check: true })).differences).toBe(0)
      })
    }
  })
}
