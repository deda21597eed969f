import { describe, expect, it } from 'vitest'
import type { Ledger } from '../port.ts'
import { fold } from './fold.ts'
import { appendAll, day, event, numbered, readEvents, take } from './kit.ts'
import { type LedgerLab, useLab, value } from './lab.ts'
import { projected, sorted } from './projecting.ts'

const refOf = ({ source, session_id: id }: { readonly source: string; readonly session_id: string }) => ({
  source,
  id,
})

async function forget(ledger: Ledger, sessions: readonly { source: string; id: string }[]) {
  value(await ledger.forgetting.begin(sessions))
  const removed = value(await ledger.forgetting.remove(sessions))
  value(await ledger.forgetting.end(sessions))
  return Object.fromEntries(removed.map(({ what, count }) => [what, count]))
}

/** The sessions of a day, those with the most events first. */
function sessionsOf(list: readonly { readonly source: string; readonly session_id: string }[]) {
  const found = Map.groupBy(list, (each) => JSON.stringify(refOf(each)))
  return [...found.entries()]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([name]) => JSON.parse(name) as { source: string; id: string })
}

export function describeForgetting(lab: LedgerLab): void {
  describe('forgetting', () => {
    const bench = useLab(lab)

    it('leaves the log and the projections as if those sessions had never been, but for their numbers', async () => {
      const opened = await bench.open()
      const { ledger } = opened
      const list = day(71, 6_000)
      await appendAll(ledger, list)
      const [most, , third] = sessionsOf(list)
      const gone = [most, third].flatMap((each) => each ?? [])
      const isGone = (each: { source: string; session_id: string }) =>
        gone.some(({ source, id }) => source === each.source && id === each.session_id)
      const others = numbered(list).filter((each) => !isGone(each))
      const removed = await forget(ledger, gone)
      expect(removed).toMatchObject({ events: list.length - others.length })
      expect(removed.agents).toBeGreaterThan(0)

      expect(value(await ledger.head())).toEqual({ first: 1, last: 6_000 })
      expect(value(await ledger.info()).forgotten).toBe(list.length - others.length)
      expect(await readEvents(ledger)).toEqual(others)
      expect(await readEvents(ledger, { down: true })).toEqual(others.toReversed())
      expect(await projected(ledger)).toEqual(sorted(fold(others)))
      expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
      expect(value(await ledger.verify())).toEqual([])
      expect(await take(ledger, 0, others.length)).toHaveLength(others.length)

      const again = (await bench.reopen(opened)).ledger
      expect(await projected(again)).toEqual(sorted(fold(others)))
      expect(value(await again.rebuild({ check: false })).differences).toBe(0)
    })

    it('shows the past as if they had never been', async () => {
      const list = day(72, 9_000)
      const gone = sessionsOf(list).slice(0, 2)
      const isGone = (each: { source: string; session_id: string }) =>
        gone.some(({ source, id }) => source === each.source && id === each.session_id)
      const { ledger } = await bench.open()
      const { ledger: other } = await bench.open()
      await appendAll(ledger, list)
      await appendAll(
        other,
        list.filter((each) => !isGone(each)),
      )
      await forget(ledger, gone)
      const [first, last] = [list[0]?.ts ?? 0, list.at(-1)?.ts ?? 0]
      for (const share of [0.05, 0.3, 0.55, 0.8, 1]) {
        const ts = Math.round(first + (last - first) * share)
        const [then, without] = [value(await ledger.agentsAt({ ts })), value(await other.agentsAt({ ts }))]
        expect(sortedById(then.value)).toEqual(sortedById(without.value))
        const line = { from: first, to: ts, slices: 7 }
        const { slices } = value(await ledger.timeline(line))
        expect(slices).toEqual(value(await other.timeline(line)).slices)
      }
      const at = Math.floor(list.length / 2)
      expect(value(await ledger.agentsAt({ seq: at })).value.filter((each) => isGone(each))).toEqual([])
    })

    it('does not let them come back, also after a restart, and lets others', async () => {
      const opened = await bench.open()
      const told = [event(1), event(2, { session_id: 'other' }), event(3)]
      value(await opened.ledger.append(told))
      expect(await forget(opened.ledger, [{ source: 'custom', id: 's1' }])).toMatchObject({ events: 2 })
      const check = async (ledger: Ledger) => {
        expect(value(await ledger.append([event(1), event(9)]))).toEqual({
          accepted: 0,
          duplicates: 2,
          forgotten: 2,
          last: 3,
        })
        expect((await readEvents(ledger)).map(({ seq }) => seq)).toEqual([2])
        expect(value(await ledger.sessions({ limit: 9 })).value.map((each) => each.session_id)).toEqual([
          'other',
        ])
      }
      await check(opened.ledger)
      const { ledger } = await bench.reopen(opened)
      await check(ledger)
      const more = [event(4, { session_id: 'new' }), event(5), event(6, { source: 'elsewhere' })]
      expect(value(await ledger.append(more))).toEqual({ accepted: 2, duplicates: 1, forgotten: 1, last: 5 })
      expect((await readEvents(ledger)).map(({ seq }) => seq)).toEqual([2, 4, 5])
    })

    it('takes what people wrote with it', async () => {
      const { ledger } = await bench.open()
      const none = {
        events: 0,
        agents: 0,
        tags: 0,
        notes: 0,
        achievements: 0,
        templates: 0,
        accounts: 0,
        turns: 0,
        conversations: 0,
      }
      const one = { source: 'custom', id: 's1' }
      value(await ledger.marked.mark(one, { tags: ['a', 'b'], note: 'c' }))
      value(await ledger.marked.mark({ ...one, id: 'other' }, { tags: ['a'] }))
      expect(await forget(ledger, [one])).toEqual({ ...none, tags: 2, notes: 1 })
      expect(value(await ledger.marked.list({}))).toHaveLength(1)
      expect(await forget(ledger, [one])).toEqual(none)
    })

    it('is pending from its beginning to its end, also after a crash', async () => {
      const opened = await bench.open()
      const one = { source: 'custom', id: 's1' }
      value(await opened.ledger.append([event(1)]))
      value(await opened.ledger.forgetting.begin([one]))
      const { ledger } = await bench.reopen(opened)
      expect(value(await ledger.forgetting.pending())).toEqual([one])
      expect(value(await ledger.append([event(2)])).accepted).toBe(0)
      expect(await forget(ledger, [one])).toMatchObject({ events: 1 })
      expect(value(await ledger.forgetting.pending())).toEqual([])
      expect(value(await ledger.forgetting.forgotten()).hashes).toHaveLength(1)
    })

    it('goes together with retention, before it and after', async () => {
      const { ledger } = await bench.open()
      const list = day(73, 4_000)
      await appendAll(ledger, list)
      const [one, two] = sessionsOf(list)
      if (one === undefined || two === undefined) throw new Error('a day of one session')
      await forget(ledger, [one])
      value(await ledger.retain({ before: list[2_000]?.ts }))
      expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
      await forget(ledger, [two])
      expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
      const kept = value(await ledger.sessions({ limit: 10_000 })).value.map((each) => refOf(each))
      expect(kept).not.toContainEqual(one)
      expect(kept).not.toContainEqual(two)
      const agents = value(await ledger.agents({ limit: 10_000 })).value
      expect(agents.filter((each) => each.source === two.source && each.session_id === two.id)).toEqual([])
      value(await ledger.retain({ before: Number.MAX_SAFE_INTEGER }))
      expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
    })

    it('lets a reader go on over a log whose end was forgotten', async () => {
      const { ledger } = await bench.open()
      await appendAll(
        ledger,
        Array.from({ length: 2_500 }, (_, n) => event(n)),
      )
      value(await ledger.append([event(9_000, { session_id: 'other' })]))
      await appendAll(
        ledger,
        Array.from({ length: 50 }, (_, n) => event(3_000 + n)),
      )
      await forget(ledger, [{ source: 'custom', id: 's1' }])
      const reading = take(ledger, 0, 2)
      value(await ledger.append([event(9_001, { session_id: 'other' })]))
      expect((await reading).map(({ seq }) => seq)).toEqual([2_501, 2_552])
    })

    it('lets appends go on meanwhile', async () => {
      const { ledger } = await bench.open()
      const list = day(74, 8_000)
      await appendAll(ledger, list.slice(0, 6_000))
      const [one] = sessionsOf(list)
      if (one === undefined) throw new Error('an empty day')
      const forgetting = forget(ledger, [one])
      for (let at = 6_000; at < 8_000; at += 100) value(await ledger.append(list.slice(at, at + 100)))
      await forgetting
      const left = (await readEvents(ledger)).filter(
        ({ source, session_id }) => source === one.source && session_id === one.id,
      )
      expect(left).toEqual([])
      expect(value(await ledger.rebuild({ check: true })).differences).toBe(0)
    })
  })
}

const sortedById = <A extends { readonly source: string; readonly session_id: string; readonly id: string }>(
  agents: readonly A[],
): readonly A[] => agents.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1))

const nameOf = (agent: { readonly source: string; readonly session_id: string; readonly id: string }) =>
  `${agent.source} ${agent.session_id} ${agent.id}`
