import { describe, expect, it } from 'vitest'
import type { EventStore } from '../port.ts'
import { appendAll, day, event, events, readAll } from './event-kit.ts'
import { type StoreLab, useLab, useOne, value } from './lab.ts'

export function describeLiving(lab: StoreLab): void {
  describe('readers and the writer', () => {
    const one = useOne(lab, (store) => appendAll(store, day(81, 40_000), 5_000))

    it('do not block each other: appends stay fast during long searches', async () => {
      const { store } = one()
      let searching = true
      const searches = Array.from({ length: 4 }, async (_, n) => {
        let scanned = 0
        while (searching) {
          await readAll(store, {
            filter: { text: `nothing has this ${n}` },
            limit: 1_000,
            down: n % 2 === 0,
          })
          scanned += 1
        }
        return scanned
      })
      const times: number[] = []
      for (let n = 0; n < 100; n += 1) {
        const start = performance.now()
        value(await store.append(events(20, `quick${n}-`)))
        times.push(performance.now() - start)
      }
      searching = false
      expect(Math.min(...(await Promise.all(searches)))).toBeGreaterThan(0)
      const sorted = times.toSorted((a, b) => a - b)
      expect(sorted[50]).toBeLessThan(250)
      expect(sorted.at(-1)).toBeLessThan(5_000)
    })

    it('do not block each other: small reads are answered during long searches', async () => {
      const { store } = one()
      const { last } = value(await store.head())
      const search = readAll(store, { filter: { text: 'nothing has this' }, limit: 1_000 })
      const start = performance.now()
      expect(value(await store.read({ before: last + 1, limit: 1 })).rows).toHaveLength(1)
      expect(performance.now() - start).toBeLessThan(2_000)
      expect(await search).toEqual([])
    })
  })

  describe('store', () => {
    const bench = useLab(lab)

    it('reports what it is', async () => {
      const { store } = await bench.open()
      expect(value(await store.info())).toMatchObject({
        head: { first: 1, last: 0 },
        firstTs: null,
        lastTs: null,
      })
      value(await store.append([event(5), event(9), event(7)]))
      const info = value(await store.info())
      expect(info).toMatchObject({ head: { first: 1, last: 3 }, firstTs: event(5).ts, lastTs: event(9).ts })
      expect(info.engine).toMatch(/^\w+/)
      expect(info.bytes).toBeGreaterThan(0)
      expect(info.schemaVersion).toBeGreaterThan(0)
    })

    it('counts living agents the way its rows show them', async () => {
      const { store } = await bench.open()
      expect(value(await store.aliveCount())).toBe(0)
      await appendAll(store, day(84, 3_000))
      const rows = value(await store.agents({ states: ['working', 'waiting', 'stuck'], limit: 10_000 })).value
      expect(rows.length).toBeGreaterThan(0)
      expect(value(await store.aliveCount())).toBe(rows.length)
    })

    it('finds nothing wrong with itself', async () => {
      const { store } = await bench.open()
      await appendAll(store, day(83, 3_000))
      expect(value(await store.verify())).toEqual([])
    })

    it('stores everything it accepted before it closes', async () => {
      const opened = await bench.open()
      const appends = Array.from({ length: 20 }, (_, n) => opened.store.append(events(50, `b${n}-`)))
      await opened.store.close()
      const accepted = (await Promise.all(appends)).reduce(
        (sum, each) => sum + (each.ok ? each.value.accepted : 0),
        0,
      )
      const { store } = await bench.reopen(opened)
      expect(value(await store.head()).last).toBe(accepted)
      expect(accepted).toBe(1_000)
    })

    it('can be closed twice, and then answers every call with a failure', async () => {
      const opened = await bench.open()
      const { store } = opened
      value(await store.append(events(3)))
      await Promise.all([store.close(), store.close()])
      await store.close()
      const calls: Record<string, ReturnType<EventStore['append' | 'info' | 'verify' | 'head']>> = {
        append: store.append([event(9)]),
        appendNothing: store.append([]),
        head: store.head(),
        read: store.read({ after: 0, limit: 1 }) as never,
        counters: store.counters() as never,
        agents: store.agents({ limit: 1 }) as never,
        aliveCount: store.aliveCount() as never,
        sessions: store.sessions({ limit: 1 }) as never,
        findAgents: store.findAgents(['x']) as never,
        info: store.info(),
        rebuild: store.rebuild({ check: true }) as never,
        retain: store.retain({}) as never,
        backup: store.backup(bench.backupFile(opened)) as never,
        verify: store.verify(),
      }
      for (const [name, result] of Object.entries(calls)) {
        expect(await result, name).toMatchObject({ ok: false, code: 'closed' })
      }
      expect(
        await store.subscribe(0, new AbortController().signal)[Symbol.asyncIterator]().next(),
      ).toMatchObject({
        done: true,
      })
    })
  })
}
