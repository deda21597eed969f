import type { NewEvent } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { event, events, numbered, readEvents } from './event-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'

export function describeAppending(lab: StoreLab): void {
  describe('appending', () => {
    const bench = useLab(lab)

    it('numbers events from 1 in the given order', async () => {
      const { store } = await bench.open()
      expect(value(await store.head())).toEqual({ first: 1, last: 0 })
      expect(value(await store.append(events(3)))).toEqual({ accepted: 3, duplicates: 0, last: 3 })
      expect(value(await store.append([event(9)]))).toEqual({ accepted: 1, duplicates: 0, last: 4 })
      expect(await readEvents(store)).toEqual(numbered([...events(3), event(9)]))
      expect(value(await store.head())).toEqual({ first: 1, last: 4 })
    })

    it('leaves no gap and keeps each append in order, however many write at once', async () => {
      const { store } = await bench.open()
      let run = 0
      let expected = 0
      await fc.assert(
        fc.asyncProperty(fc.array(fc.nat({ max: 60 }), { minLength: 1, maxLength: 40 }), async (sizes) => {
          run += 1
          const batches = sizes.map((size, writer) => events(size, `r${run}w${writer}n`))
          const results = await Promise.all(batches.map((batch) => store.append(batch)))
          results.forEach((result, n) => {
            expect(value(result)).toMatchObject({ accepted: sizes[n], duplicates: 0 })
          })
          const before = expected
          expected += sizes.reduce((sum, size) => sum + size, 0)
          expect(Math.max(before, ...results.map((result) => value(result).last))).toBe(expected)
          const stored = await readEvents(store)
          expect(stored.map((each) => each.seq)).toEqual(stored.map((_, n) => n + 1))
          expect(stored).toHaveLength(expected)
          const fresh = stored.slice(before)
          for (const batch of batches) {
            const keys = new Set(batch.map((each) => each.key))
            expect(fresh.filter((each) => keys.has(each.key)).map((each) => each.key)).toEqual([...keys])
          }
        }),
        { numRuns: 15 },
      )
    })

    it('keeps the first of two events with the same key in one append', async () => {
      const { store } = await bench.open()
      const list = [event(1), event(1, { note: 'second' }), event(2), event(1, { note: 'third' })]
      expect(value(await store.append(list))).toEqual({ accepted: 2, duplicates: 2, last: 2 })
      expect(await readEvents(store)).toEqual(numbered([event(1), event(2)]))
    })

    it('keeps the first of two events with the same key across appends and a restart', async () => {
      const opened = await bench.open()
      value(await opened.store.append(events(10)))
      const again = [event(99), ...events(10).map((each) => ({ ...each, note: 'again' })), event(100)]
      expect(value(await opened.store.append(again))).toEqual({ accepted: 2, duplicates: 10, last: 12 })
      const { store } = await bench.reopen(opened)
      expect(value(await store.append(again))).toEqual({ accepted: 0, duplicates: 12, last: 12 })
      expect(value(await store.append([event(101)]))).toEqual({ accepted: 1, duplicates: 0, last: 13 })
      expect(await readEvents(store)).toEqual(numbered([...events(10), event(99), event(100), event(101)]))
    })

    it('stores each key once when many callers send the same events at the same time', async () => {
      const { store } = await bench.open()
      const shared = events(200)
      const results = await Promise.all(
        Array.from({ length: 12 }, (_, n) => store.append(n % 2 === 0 ? shared : shared.toReversed())),
      )
      const accepted = results.reduce((sum, result) => sum + value(result).accepted, 0)
      const duplicates = results.reduce((sum, result) => sum + value(result).duplicates, 0)
      expect({ accepted, duplicates }).toEqual({ accepted: 200, duplicates: 2_200 })
      const stored = await readEvents(store)
      expect(stored.map((each) => each.seq)).toEqual(Array.from({ length: 200 }, (_, n) => n + 1))
      expect(new Set(stored.map((each) => each.key)).size).toBe(200)
    })

    it('answers each of many appends at once with its own result, also when some cannot be stored', async () => {
      const { store } = await bench.open()
      const known = new Set<string>()
      const one = fc.record({ n: fc.nat({ max: 30 }), isBad: fc.nat({ max: 4 }).map((n) => n === 0) })
      await fc.assert(
        fc.asyncProperty(fc.array(one, { minLength: 1, maxLength: 12 }), async (callers) => {
          const results = await Promise.all(
            callers.map(({ n, isBad }) =>
              store.append([isBad ? event(100 + n, { session_id: null as never }) : event(n)]),
            ),
          )
          for (const [at, { n, isBad }] of callers.entries()) {
            if (isBad) {
              expect(results[at]).toMatchObject({ ok: false })
              continue
            }
            const isNew = !known.has(`${n}`)
            known.add(`${n}`)
            expect(results[at]).toMatchObject({
              ok: true,
              value: { accepted: isNew ? 1 : 0, duplicates: isNew ? 0 : 1, last: known.size },
            })
          }
          const stored = await readEvents(store)
          expect(stored).toEqual(numbered([...known].map((n) => event(Number(n)))))
        }),
        { numRuns: 20, endOnFailure: true },
      )
    })

    it('accepts an empty append', async () => {
      const { store } = await bench.open()
      expect(value(await store.append([]))).toEqual({ accepted: 0, duplicates: 0, last: 0 })
      value(await store.append([event(1)]))
      expect(value(await store.append([]))).toEqual({ accepted: 0, duplicates: 0, last: 1 })
    })

    it('accepts fifty thousand events at once', async () => {
      const { store } = await bench.open()
      const list = events(50_000)
      expect(value(await store.append(list))).toEqual({ accepted: 50_000, duplicates: 0, last: 50_000 })
      expect(value(await store.counters())).toMatchObject({ seq: 50_000, value: { events: 50_000 } })
      const page = value(await store.read({ before: 50_001, limit: 2 }))
      expect(page.rows.map((row) => row.seq)).toEqual([50_000, 49_999])
    })

    it('accepts events of a megabyte', async () => {
      const { store } = await bench.open()
      const list = [1, 2, 3].map((n) => event(n, { blob: `${n}`.repeat(1_048_576) }))
      value(await store.append(list))
      expect(await readEvents(store)).toEqual(numbered(list))
    })

    it('does not read the list again after the call returned', async () => {
      const { store } = await bench.open()
      const list = events(5)
      const waiting = store.append(list)
      list.reverse()
      list.push(event(77))
      value(await waiting)
      expect(await readEvents(store)).toEqual(numbered(events(5)))
    })

    it('shows an acknowledged event to the next reader', async () => {
      const { store } = await bench.open()
      for (let n = 1; n <= 50; n += 1) {
        const { last } = value(await store.append([event(n)]))
        const [head, page, counters] = await Promise.all([
          store.head(),
          store.read({ after: last - 1, limit: 10 }),
          store.counters(),
        ])
        expect(value(head).last).toBe(n)
        expect(value(page).rows.map((row) => row.seq)).toEqual([n])
        expect(value(counters)).toMatchObject({ seq: n, value: { events: n } })
      }
    })
  })

  describe('stored events', () => {
    const bench = useLab(lab)

    it('equal the given ones, including unknown kinds and fields', async () => {
      const { store } = await bench.open()
      let last = 0
      const json = fc.jsonValue({ maxDepth: 3 }).map((any) => JSON.parse(JSON.stringify(any)) as unknown)
      const extra = fc.dictionary(
        fc.string({ unit: 'binary', maxLength: 10 }).map((name) => `x${name}`),
        json,
      )
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.string({ unit: 'binary', minLength: 1, maxLength: 30 }), extra), {
            maxLength: 20,
          }),
          async (appended) => {
            const list = appended.map(([kind, fields], n) =>
              event(n, { ...fields, event: kind, key: `k${last}-${n}` }),
            )
            value(await store.append(list))
            const page = value(await store.read({ after: last, limit: 100 }))
            expect(page.rows.map((row) => JSON.parse(row.json) as unknown)).toEqual(numbered(list, last))
            last += list.length
          },
        ),
        { numRuns: 40 },
      )
    })

    it('may have any names', async () => {
      const { store } = await bench.open()
      const names = [
        "'; DROP TABLE events; --",
        '100%_\\"quoted"',
        'line\nbreak\ttab',
        '日本語 русский עברית 👩‍🚀 e\u0301',
        '\u202eright to left\u202c',
        '__proto__',
        'constructor',
        ' ',
        '\u0001\u001f\u007f',
        'x'.repeat(512),
      ]
      const list: NewEvent[] = names.map((name) =>
        event(1, {
          key: name,
          session_id: `s${name}`.slice(0, 512),
          event: 'tool_use',
          agent_id: name,
          tool: 'Bash',
          id: name,
        }),
      )
      value(await store.append(list))
      expect(await readEvents(store)).toEqual(numbered(list))
      for (const [n, name] of names.entries()) {
        const session = `s${name}`.slice(0, 512)
        const found = await readEvents(store, { filter: { session, agent: name } })
        expect(found.map((each) => each.seq)).toEqual([n + 1])
        const agents = value(await store.agents({ session, limit: 10 })).value
        expect(agents).toMatchObject([{ session_id: session, id: name, tool_counts: { Bash: 1 } }])
      }
      expect(value(await store.append(list))).toMatchObject({ accepted: 0, duplicates: names.length })
    })

    it('have the seq that the store assigned, whatever seq was sent', async () => {
      const { store } = await bench.open()
      value(await store.append([event(1, { seq: 999 }), event(2, { seq: 'x' })]))
      const seen = await readEvents(store)
      expect(seen.map((each) => each.seq)).toEqual([1, 2])
    })
  })
}
