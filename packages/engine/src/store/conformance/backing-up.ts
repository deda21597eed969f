import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { appendAll, day, event, events, numbered, readEvents } from './event-kit.ts'
import { fold } from './fold.ts'
import { type StoreLab, useLab, useOne, value } from './lab.ts'
import { projected, sorted } from './projecting.ts'

export function describeBackingUp(lab: StoreLab): void {
  describe('backup', () => {
    const bench = useLab(lab)

    it('is a complete store of its own', async () => {
      const opened = await bench.open()
      await appendAll(opened.store, day(71, 4_000))
      const file = bench.backupFile(opened)
      const reply = value(await opened.store.backup(file))
      expect(reply).toMatchObject({ path: file, events: 4_000, last_seq: 4_000 })
      const copy = await bench.restore(file)
      expect(await readEvents(copy)).toEqual(numbered(day(71, 4_000)))
      expect(await projected(copy)).toEqual(await projected(opened.store))
      expect(value(await copy.append([event(1)]))).toMatchObject({ accepted: 1, last: 4_001 })
      expect(value(await opened.store.head()).last).toBe(4_000)
    })

    it('contains one snapshot of the store while appends continue', async () => {
      const opened = await bench.open()
      const list = day(72, 24_000)
      await appendAll(opened.store, list.slice(0, 15_000), 5_000)
      const file = bench.backupFile(opened)
      let running = true
      const backing = opened.store.backup(file).finally(() => {
        running = false
      })
      let at = 15_000
      while (running && at < 24_000) {
        value(await opened.store.append(list.slice(at, at + 100)))
        at += 100
      }
      const { last_seq: last, events: count } = value(await backing)
      expect(last).toBeGreaterThanOrEqual(15_000)
      expect(last).toBeLessThanOrEqual(at)
      expect(count).toBe(last)
      const copy = await bench.restore(file)
      expect(value(await copy.head())).toEqual({ first: 1, last })
      expect(await readEvents(copy)).toEqual(numbered(list.slice(0, last)))
      expect(await projected(copy)).toEqual(sorted(fold(numbered(list.slice(0, last)))))
      expect(value(await copy.rebuild({ check: true })).differences).toBe(0)
      expect(await projected(opened.store)).toEqual(sorted(fold(numbered(list.slice(0, at)))))
    })

    it('keeps the folded state of events that retention dropped', async () => {
      const opened = await bench.open()
      const list = events(3_000)
      await appendAll(opened.store, list)
      value(await opened.store.retain({ before: list[2_000]?.ts }))
      const file = bench.backupFile(opened)
      expect(value(await opened.store.backup(file))).toMatchObject({ events: 1_000, last_seq: 3_000 })
      const copy = await bench.restore(file)
      expect(value(await copy.head())).toEqual({ first: 2_001, last: 3_000 })
      expect(value(await copy.rebuild({ check: true })).differences).toBe(0)
      expect(value(await copy.counters()).value.events).toBe(3_000)
    })

    it('replaces a file only on request, and never anything that is not a file', async () => {
      const opened = await bench.open()
      value(await opened.store.append(events(10)))
      const file = bench.backupFile(opened)
      value(await opened.store.backup(file))
      value(await opened.store.append([event(99)]))
      expect(value(await opened.store.backup(file, { replace: true })).last_seq).toBe(11)
      expect(value(await (await bench.restore(file)).head()).last).toBe(11)
      const folder = dirname(file)
      const before = readdirSync(folder).sort()
      const refused = await opened.store.backup(folder, { replace: true })
      expect(refused).toMatchObject({ ok: false, code: 'invalid', message: expect.stringContaining(folder) })
      expect(readdirSync(folder).sort()).toEqual(before)
    })

    it('does not overwrite a file', async () => {
      const opened = await bench.open()
      value(await opened.store.append(events(10)))
      const file = bench.backupFile(opened)
      value(await opened.store.backup(file))
      value(await opened.store.append([event(99)]))
      const again = await opened.store.backup(file)
      expect(again).toMatchObject({ ok: false, code: 'invalid', message: expect.stringContaining(file) })
      const copy = await bench.restore(file)
      expect(value(await copy.head()).last).toBe(10)
    })
  })

  describe('backup of a long log', () => {
    const one = useOne(lab, (store) => appendAll(store, day(73, 20_000), 5_000))

    it('appears only when it is complete, and reports progress', async () => {
      const opened = one()
      const file = lab.backupFile(opened.place)
      const steps: number[] = []
      const sizes: number[] = []
      const onProgress = (done: number, total: number) => {
        steps.push(done / total)
        if (existsSync(file)) sizes.push(statSync(file).size)
      }
      const { bytes } = value(await opened.store.backup(file, { onProgress }))
      expect(steps.length).toBeGreaterThan(1)
      expect(steps).toEqual(steps.toSorted((a, b) => a - b))
      expect(new Set([...sizes, statSync(file).size])).toEqual(new Set([bytes]))
    })

    it('leaves no file behind when it is stopped', async () => {
      const opened = one()
      const file = lab.backupFile(opened.place)
      const before = existsSync(dirname(file)) ? readdirSync(dirname(file)) : []
      for (const when of ['before', 'during']) {
        const stop = new AbortController()
        if (when === 'before') stop.abort()
        const work = { signal: stop.signal, onProgress: () => stop.abort() }
        expect(await opened.store.backup(file, work), when).toMatchObject({ ok: false, code: 'stopped' })
        expect(existsSync(dirname(file)) ? readdirSync(dirname(file)) : []).toEqual(before)
      }
      expect(value(await opened.store.backup(file)).last_seq).toBe(20_000)
    })
  })
}
