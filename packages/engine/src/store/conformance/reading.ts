import type { StoredEvent } from '@panoptes/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventFilter, EventPage } from '../port.ts'
import { appendAll, day, event, events, numbered, readEvents } from './event-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'

export function describeReading(lab: StoreLab): void {
  describe('reading', () => {
    const bench = useLab(lab)

    it('goes up and down from any seq with any limit', async () => {
      const { store } = await bench.open()
      await appendAll(store, events(250))
      const seqs = async (range: Parameters<typeof store.read>[0]) => {
        const page = value(await store.read(range))
        return { seqs: page.rows.map((row) => row.seq), next: page.next }
      }
      expect(await seqs({ after: 0, limit: 3 })).toEqual({ seqs: [1, 2, 3], next: 3 })
      expect(await seqs({ after: 247, limit: 3 })).toMatchObject({ seqs: [248, 249, 250] })
      expect(await seqs({ after: 248, limit: 3 })).toEqual({ seqs: [249, 250], next: null })
      expect(await seqs({ after: 250, limit: 3 })).toEqual({ seqs: [], next: null })
      expect(await seqs({ after: 10_000, limit: 3 })).toEqual({ seqs: [], next: null })
      expect(await seqs({ before: 251, limit: 3 })).toEqual({ seqs: [250, 249, 248], next: 248 })
      expect(await seqs({ before: 10_000, limit: 1 })).toEqual({ seqs: [250], next: 250 })
      expect(await seqs({ before: 3, limit: 9 })).toEqual({ seqs: [2, 1], next: null })
      expect(await seqs({ before: 1, limit: 9 })).toEqual({ seqs: [], next: null })
    })

    it('returns nothing from an empty store', async () => {
      const { store } = await bench.open()
      expect(value(await store.read({ after: 0, limit: 10 }))).toEqual({ rows: [], next: null })
      expect(value(await store.read({ before: 1, limit: 10 }, { text: 'x' }))).toEqual({
        rows: [],
        next: null,
      })
    })

    it('returns pages with few large events and misses none', async () => {
      const { store } = await bench.open()
      const text = 'x'.repeat(200_000)
      await appendAll(
        store,
        events(60).map((each) => ({ ...each, text })),
        20,
      )
      const seqs = Array.from({ length: 60 }, (_, n) => n + 1)
      for (const filter of [{}, { text: 'x' }, { since: 0, until: Number.MAX_SAFE_INTEGER }])
        for (const down of [false, true]) {
          const found: number[] = []
          let at: number | null = down ? 1_000 : 0
          while (at !== null) {
            const page: EventPage = value(
              await store.read(down ? { before: at, limit: 1_000 } : { after: at, limit: 1_000 }, filter),
            )
            const bytes = page.rows.reduce((sum, { json }) => sum + json.length, 0)
            expect(bytes).toBeLessThan(4_500_000)
            found.push(...page.rows.map(({ seq }) => seq))
            at = page.next
          }
          expect(found).toEqual(down ? seqs.toReversed() : seqs)
        }
      const end = new AbortController()
      const received: number[] = []
      for await (const rows of store.subscribe(0, end.signal)) {
        expect(rows.reduce((sum, { json }) => sum + json.length, 0)).toBeLessThan(4_500_000)
        received.push(...rows.map(({ seq }) => seq))
        if (received.length >= 60) end.abort()
      }
      expect(received).toEqual(seqs)
    })

    it('visits every matching row once, in order, whatever the filter, limit and direction', async () => {
      const { store } = await bench.open()
      const stored = numbered(day(21, 6_000))
      await appendAll(store, day(21, 6_000))
      await fc.assert(
        fc.asyncProperty(
          filters(stored),
          fc.integer({ min: 1, max: 900 }),
          fc.boolean(),
          async (filter, limit, down) => {
            const wanted = stored.filter((each) => matches(each, filter))
            const found = await readEvents(store, {
              filter,
              limit: Math.max(limit, Math.ceil(wanted.length / 40)),
              down,
            })
            expect(found).toEqual(down ? wanted.toReversed() : wanted)
          },
        ),
        { numRuns: 60 },
      )
    })

    it('finds a rare event in a long log within few pages', async () => {
      const { store } = await bench.open()
      const list = events(30_000)
      list[14_999] = event(15_000, { key: 'needle', note: 'a Needle in the hay' })
      await appendAll(store, list, 5_000)
      for (const down of [false, true]) {
        const found = await readEvents(store, { filter: { text: 'needle IN the' }, limit: 100, down })
        expect(found.map((each) => each.seq)).toEqual([15_000])
      }
    })

    it('searches text literally, without wildcards', async () => {
      const { store } = await bench.open()
      const notes = [
        '100% done',
        '100 done',
        'a_b',
        'axb',
        'c\\d',
        'say "hi"',
        'naïve Ünicode',
        "it's",
        'tab\there',
      ]
      value(await store.append(notes.map((note, n) => event(n, { note }))))
      const found = async (text: string) =>
        (await readEvents(store, { filter: { text } })).map((each) => each.note as string)
      expect(await found('100%')).toEqual(['100% done'])
      expect(await found('A_B')).toEqual(['a_b'])
      expect(await found('c\\d')).toEqual(['c\\d'])
      expect(await found('"hi"')).toEqual(['say "hi"'])
      expect(await found('ünicode')).toEqual([])
      expect(await found('Ünicode')).toEqual(['naïve Ünicode'])
      expect(await found("IT'S")).toEqual(["it's"])
      expect(await found('tab\there')).toEqual(['tab\there'])
      expect(await found('nowhere')).toEqual([])
    })

    it('treats an empty list of kinds as no kind, and an empty text as any', async () => {
      const { store } = await bench.open()
      value(await store.append(events(3)))
      expect(await readEvents(store, { filter: { kinds: [] } })).toEqual([])
      expect(await readEvents(store, { filter: { text: '' } })).toHaveLength(3)
      expect(await readEvents(store, { filter: { failed: false } })).toHaveLength(3)
    })
  })
}

/** Generates filters, many of which match events. */
function filters(stored: readonly StoredEvent[]): fc.Arbitrary<EventFilter> {
  const some = fc.nat({ max: stored.length - 1 }).map((n) => stored[n] as StoredEvent)
  const moment = some.map((each) => each.ts)
  return fc.record(
    {
      kinds: fc.subarray(['tool_use', 'tool_done', 'usage', 'agent_done', 'claim', 'unheard_of'], {
        minLength: 1,
      }),
      source: fc.oneof(
        some.map((each) => each.source),
        fc.constant('nobody'),
      ),
      session: some.map((each) => each.session_id),
      agent: some.map((each) => String(each.agent_id ?? each.id)),
      since: moment,
      until: moment,
      text: fc.constantFrom('bash', 'Exit code', 'claude-OPUS', 'src/', 'nothing has this'),
      failed: fc.boolean(),
    },
    { requiredKeys: [] },
  )
}

function matches(event: StoredEvent, filter: EventFilter): boolean {
  const own = ['agent_spawn', 'agent_done', 'agent_link'].includes(event.event)
  const agent = own ? event.id : event.agent_id
  const failed =
    (event.event === 'tool_done' && event.ok === false) ||
    (event.event === 'skill_use' && event.success === false) ||
    (event.event === 'agent_done' && event.outcome === 'fail') ||
    (event.event === 'status' && event.shipped === 'fail')
  return (
    (filter.kinds === undefined || filter.kinds.includes(event.event)) &&
    (filter.source === undefined || filter.source === event.source) &&
    (filter.session === undefined || filter.session === event.session_id) &&
    (filter.agent === undefined || filter.agent === agent) &&
    (filter.since === undefined || event.ts >= filter.since) &&
    (filter.until === undefined || event.ts < filter.until) &&
    (!filter.failed || failed) &&
    (filter.text === undefined || JSON.stringify(event).toLowerCase().includes(filter.text.toLowerCase()))
  )
}
