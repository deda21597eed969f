import { describe, expect, it } from 'vitest'
import type { Ledger } from '../port.ts'
import { appendAll, day, event, events, readAll } from './kit.ts'
import { type LedgerLab, useLab, useOne, value } from './lab.ts'

export function describeLiving(lab: LedgerLab): void {
  describe('readers and the writer', () => {
    const one = useOne(lab, (ledger) => appendAll(ledger, day(81, 40_000), 5_000))

    it('do not hold each other up: appends stay quick while long searches run', async () => {
      const { ledger } = one()
      let searching = true
      const searches = Array.from({ length: 4 }, async (_, n) => {
        let scanned = 0
        while (searching) {
          await readAll(ledger, {
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
        value(await ledger.append(events(20, `quick${n}-`)))
        times.push(performance.now() - start)
      }
      searching = false
      expect(Math.min(...(await Promise.all(searches)))).toBeGreaterThan(0)
      const sorted = times.toSorted((a, b) => a - b)
      expect(sorted[50]).toBeLessThan(250)
      expect(sorted.at(-1)).toBeLessThan(5_000)
    })

    it('do not hold each other up: small reads are answered while long searches run', async () => {
      const { ledger } = one()
      const { last } = value(await ledger.head())
      const search = readAll(ledger, { filter: { text: 'nothing has this' }, limit: 1_000 })
      const start = performance.now()
      expect(value(await ledger.read({ before: last + 1, limit: 1 })).rows).toHaveLength(1)
      expect(performance.now() - start).toBeLessThan(2_000)
      expect(await search).toEqual([])
    })
  })

  describe('a ledger', () => {
    const bench = useLab(lab)

    it('says what it is', async () => {
      const { ledger } = await bench.open()
      expect(value(await ledger.info())).toMatchObject({
        head: { first: 1, last: 0 },
        firstTs: null,
        lastTs: null,
      })
      value(await ledger.append([event(5), event(9), event(7)]))
      const info = value(await ledger.info())
      expect(info).toMatchObject({ head: { first: 1, last: 3 }, firstTs: event(5).ts, lastTs: event(9).ts })
      expect(info.engine).toMatch(/^\w+/)
      expect(info.bytes).toBeGreaterThan(0)
      expect(info.schemaVersion).toBeGreaterThan(0)
    })

    it('counts the living as its rows show them', async () => {
      const { ledger } = await bench.open()
      expect(value(await ledger.aliveCount())).toBe(0)
      await appendAll(ledger, day(84, 3_000))
      const rows = value(
        await ledger.agents({ states: ['working', 'waiting', 'stuck'], limit: 10_000 }),
      ).value
      expect(rows.length).toBeGreaterThan(0)
      expect(value(await ledger.aliveCount())).toBe(rows.length)
    })

    it('finds nothing wrong with itself', async () => {
      const { ledger } = await bench.open()
      await appendAll(ledger, day(83, 3_000))
      expect(value(await ledger.verify())).toEqual([])
    })

    it('stores what it was given before it closes', async () => {
      const opened = await bench.open()
      const appends = Array.from({ length: 20 }, (_, n) => opened.ledger.append(events(50, `b${n}-`)))
      await opened.ledger.close()
      const accepted = (await Promise.all(appends)).reduce(
        (sum, each) => sum + (each.ok ? each.value.accepted : 0),
        0,
      )
      const { ledger } = await bench.reopen(opened)
      expect(value(await ledger.head()).last).toBe(accepted)
      expect(accepted).toBe(1_000)
    })

    it('may be closed twice, and answers everything afterwards with a failure', async () => {
      const opened = await bench.open()
      const { ledger } = opened
      value(await ledger.append(events(3)))
      await Promise.all([ledger.close(), ledger.close()])
      await ledger.close()
      const asked: Record<string, ReturnType<Ledger['append' | 'info' | 'verify' | 'head']>> = {
        append: ledger.append([event(9)]),
        appendNothing: ledger.append([]),
        head: ledger.head(),
        read: ledger.read({ after: 0, limit: 1 }) as never,
        counters: ledger.counters() as never,
        agents: ledger.agents({ limit: 1 }) as never,
        aliveCount: ledger.aliveCount() as never,
        sessions: ledger.sessions({ limit: 1 }) as never,
        findAgents: ledger.findAgents(['x']) as never,
        info: ledger.info(),
        rebuild: ledger.rebuild({ check: true }) as never,
        retain: ledger.retain({}) as never,
        backup: ledger.backup(bench.backupFile(opened)) as never,
        verify: ledger.verify(),
      }
      for (const [name, result] of Object.entries(asked)) {
        expect(await result, name).toMatchObject({ ok: false, code: 'closed' })
      }
      expect(
        await ledger.subscribe(0, new AbortController().signal)[Symbol.asyncIterator]().next(),
      ).toMatchObject({
        done: true,
      })
    })
  })
}
