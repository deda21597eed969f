import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { fold } from './fold.ts'
import { appendAll, day, event, events, numbered, readEvents } from './kit.ts'
import { type LedgerLab, useLab, useOne, value } from './lab.ts'
import { projected, sorted } from './projecting.ts'

export function describeBackingUp(lab: LedgerLab): void {
  describe('a backup', () => {
    const bench = useLab(lab)

    it('is a ledger of its own with everything in it', async () => {
      const opened = await bench.open()
      await appendAll(opened.ledger, day(71, 4_000))
      const file = bench.backupFile(opened)
      const reply = value(await opened.ledger.backup(file))
      expect(reply).toMatchObject({ path: file, events: 4_000, last_seq: 4_000 })
      const copy = await bench.restore(file)
      expect(await readEvents(copy)).toEqual(numbered(day(71, 4_000)))
      expect(await projected(copy)).toEqual(await projected(opened.ledger))
      expect(value(await copy.append([event(1)]))).toMatchObject({ accepted: 1, last: 4_001 })
      expect(value(await opened.ledger.head()).last).toBe(4_000)
    })

    it('taken while appends go on is one moment of the ledger', async () => {
      const opened = await bench.open()
      const list = day(72, 24_000)
      await appendAll(opened.ledger, list.slice(0, 15_000), 5_000)
      const file = bench.backupFile(opened)
      let running = true
      const backing = opened.ledger.backup(file).finally(() => {
        running = false
      })
      let at = 15_000
      while (running && at < 24_000) {
        value(await opened.ledger.append(list.slice(at, at + 100)))
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
      expect(await projected(opened.ledger)).toEqual(sorted(fold(numbered(list.slice(0, at)))))
    })

    it('keeps what retention had made of the events that went', async () => {
      const opened = await bench.open()
      const list = events(3_000)
      await appendAll(opened.ledger, list)
      value(await opened.ledger.retain({ before: list[2_000]?.ts }))
      const file = bench.backupFile(opened)
      expect(value(await opened.ledger.backup(file))).toMatchObject({ events: 1_000, last_seq: 3_000 })
      const copy = await bench.restore(file)
      expect(value(await copy.head())).toEqual({ first: 2_001, last: 3_000 })
      expect(value(await copy.rebuild({ check: true })).differences).toBe(0)
      expect(value(await copy.counters()).value.events).toBe(3_000)
    })

    it('takes the place of a file only when told to, and of nothing else', async () => {
      const opened = await bench.open()
      value(await opened.ledger.append(events(10)))
      const file = bench.backupFile(opened)
      value(await opened.ledger.backup(file))
      value(await opened.ledger.append([event(99)]))
      expect(value(await opened.ledger.backup(file, { replace: true })).last_seq).toBe(11)
      expect(value(await (await bench.restore(file)).head()).last).toBe(11)
      const folder = dirname(file)
      const before = readdirSync(folder).sort()
      const refused = await opened.ledger.backup(folder, { replace: true })
      expect(refused).toMatchObject({ ok: false, code: 'invalid', message: expect.stringContaining(folder) })
      expect(readdirSync(folder).sort()).toEqual(before)
    })

    it('does not overwrite a file', async () => {
      const opened = await bench.open()
      value(await opened.ledger.append(events(10)))
      const file = bench.backupFile(opened)
      value(await opened.ledger.backup(file))
      value(await opened.ledger.append([event(99)]))
      const again = await opened.ledger.backup(file)
      expect(again).toMatchObject({ ok: false, code: 'invalid', message: expect.stringContaining(file) })
      const copy = await bench.restore(file)
      expect(value(await copy.head()).last).toBe(10)
    })
  })

  describe('a backup of a long log', () => {
    const one = useOne(lab, (ledger) => appendAll(ledger, day(73, 20_000), 5_000))

    it('appears only when it is whole, and says how far it is', async () => {
      const opened = one()
      const file = lab.backupFile(opened.place)
      const steps: number[] = []
      const sizes: number[] = []
      const onProgress = (done: number, total: number) => {
        steps.push(done / total)
        if (existsSync(file)) sizes.push(statSync(file).size)
      }
      const { bytes } = value(await opened.ledger.backup(file, { onProgress }))
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
        expect(await opened.ledger.backup(file, work), when).toMatchObject({ ok: false, code: 'stopped' })
        expect(existsSync(dirname(file)) ? readdirSync(dirname(file)) : []).toEqual(before)
      }
      expect(value(await opened.ledger.backup(file)).last_seq).toBe(20_000)
    })
  })
}
