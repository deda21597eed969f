import { describe, expect, it } from 'vitest'
import type { EventStore } from '../port.ts'
import { appendAll, day, event, numbered, readEvents, take } from './event-kit.ts'
import { fold } from './fold.ts'
import { type StoreLab, useLab, value } from './lab.ts'
import { projected, sorted } from './projecting.ts'

const toRef = ({ source, session_id: id }: { readonly source: string; readonly session_id: string }) => ({
  source,
  id,
})

async function forget(store: EventStore, sessions: readonly { source: string; id: string }[]) {
  value(await store.forgetting.begin(sessions))
  const removed = value(await store.forgetting.remove(sessions))
  value(await store.forgetting.end(sessions))
  return Object.fromEntries(removed.map(({ what, count }) => [what, count]))
}

/** Returns the sessions of a day, those with the most events first. */
function findSessions(list: readonly { readonly source: string; readonly session_id: string }[]) {
  const found = Map.groupBy(list, (each) => JSON.stringify(toRef(each)))
  return [...found.entries()]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([name]) => JSON.parse(name) as { source: string; id: string })
}

export function describeForgetting(lab: StoreLab): void {
  describe('forgetting', () => {
    const bench = useLab(lab)

    it('leaves log and projections as if the sessions had never existed, except for their seqs', async () => {
      const opened = await bench.open()
      const { store } = opened
      const list = day(71, 6_000)
      await appendAll(store, list)
      const [most, , third] = findSessions(list)
      const gone = [most, third].flatMap((each) => each ?? [])
      const isGone = (each: { source: string; session_id: string }) =>
        gone.some(({ source, id }) => source === each.source && id === each.session_id)
      const others = numbered(list).filter((each) => !isGone(each))
      const removed = await forget(store, gone)
      expect(removed).toMatchObject({ events: list.length - others.length })
      expect(removed.agents).toBeGreaterThan(0)

      expect(value(await store.head())).toEqual({ first: 1, last: 6_000 })
      expect(value(await store.info())).toMatchObject({
        events: others.length,
        forgotten: list.length - others.length,
      })
      expect(await readEvents(store)).toEqual(others)
      expect(await readEvents(store, { down: true })).toEqual(others.toReversed())
      expect(await projected(store)).toEqual(sorted(fold(others)))
      expect(value(await store.rebuild({ check: true }))).toMatchObject({
        events: others.length,
        differences: 0,
      })
      expect(value(await store.backup(bench.backupFile(opened)))).toMatchObject({ events: others.length })
      expect(value(await store.verify())).toEqual([])
      expect(await take(store, 0, others.length)).toHaveLength(others.length)

      const again = (await bench.reopen(opened)).store
      expect(await projected(again)).toEqual(sorted(fold(others)))
      expect(value(await again.rebuild({ check: false })).differences).toBe(0)
    })

    it('shows the past as if the sessions had never existed', async () => {
      const list = day(72, 9_000)
      const gone = findSessions(list).slice(0, 2)
      const isGone = (each: { source: string; session_id: string }) =>
        gone.some(({ source, id }) => source === each.source && id === each.session_id)
      const { store } = await bench.open()
      const { store: other } = await bench.open()
      await appendAll(store, list)
      await appendAll(
        other,
        list.filter((each) => !isGone(each)),
      )
      await forget(store, gone)
      const [first, last] = [list[0]?.ts ?? 0, list.at(-1)?.ts ?? 0]
      for (const share of [0.05, 0.3, 0.55, 0.8, 1]) {
        const ts = Math.round(first + (last - first) * share)
        const [then, without] = [value(await store.agentsAt({ ts })), value(await other.agentsAt({ ts }))]
        expect(sortedById(then.value)).toEqual(sortedById(without.value))
        const line = { from: first, to: ts, slices: 7 }
        const { slices } = value(await store.timeline(line))
        expect(slices).toEqual(value(await other.timeline(line)).slices)
      }
      const at = Math.floor(list.length / 2)
      expect(value(await store.agentsAt({ seq: at })).value.filter((each) => isGone(each))).toEqual([])
    })

    it('keeps them from coming back, even after a restart, and accepts other sessions', async () => {
      const opened = await bench.open()
      const sent = [event(1), event(2, { session_id: 'other' }), event(3)]
      value(await opened.store.append(sent))
      expect(await forget(opened.store, [{ source: 'custom', id: 's1' }])).toMatchObject({ events: 2 })
      const check = async (store: EventStore) => {
        expect(value(await store.append([event(1), event(9)]))).toEqual({
          accepted: 0,
          duplicates: 2,
          forgotten: 2,
          last: 3,
        })
        expect((await readEvents(store)).map(({ seq }) => seq)).toEqual([2])
        expect(value(await store.sessions({ limit: 9 })).value.map((each) => each.session_id)).toEqual([
          'other',
        ])
      }
      await check(opened.store)
      const { store } = await bench.reopen(opened)
      await check(store)
      const more = [event(4, { session_id: 'new' }), event(5), event(6, { source: 'elsewhere' })]
      expect(value(await store.append(more))).toEqual({ accepted: 2, duplicates: 1, forgotten: 1, last: 5 })
      expect((await readEvents(store)).map(({ seq }) => seq)).toEqual([2, 4, 5])
    })

    it('removes the annotations of the sessions', async () => {
      const { store } = await bench.open()
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
      value(await store.annotations.mark(one, { tags: ['a', 'b'], note: 'c' }))
      value(await store.annotations.mark({ ...one, id: 'other' }, { tags: ['a'] }))
      expect(await forget(store, [one])).toEqual({ ...none, tags: 2, notes: 1 })
      expect(value(await store.annotations.list({}))).toHaveLength(1)
      expect(await forget(store, [one])).toEqual(none)
    })

    it('is pending from beginning to end, even after a crash', async () => {
      const opened = await bench.open()
      const one = { source: 'custom', id: 's1' }
      value(await opened.store.append([event(1)]))
      value(await opened.store.forgetting.begin([one]))
      const { store } = await bench.reopen(opened)
      expect(value(await store.forgetting.pending())).toEqual([one])
      expect(value(await store.append([event(2)])).accepted).toBe(0)
      expect(await forget(store, [one])).toMatchObject({ events: 1 })
      expect(value(await store.forgetting.pending())).toEqual([])
      expect(value(await store.forgetting.forgotten()).hashes).toHaveLength(1)
    })

    it('works together with retention, before it and after it', async () => {
      const { store } = await bench.open()
      const list = day(73, 4_000)
      await appendAll(store, list)
      const [one, two] = findSessions(list)
      if (one === undefined || two === undefined) throw new Error('a day of one session')
      await forget(store, [one])
      value(await store.retain({ before: list[2_000]?.ts }))
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
      await forget(store, [two])
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
      const remaining = value(await store.sessions({ limit: 10_000 })).value.map((each) => toRef(each))
      expect(remaining).not.toContainEqual(one)
      expect(remaining).not.toContainEqual(two)
      const agents = value(await store.agents({ limit: 10_000 })).value
      expect(agents.filter((each) => each.source === two.source && each.session_id === two.id)).toEqual([])
      value(await store.retain({ before: Number.MAX_SAFE_INTEGER }))
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    })

    it('lets a reader continue past a log whose end was forgotten', async () => {
      const { store } = await bench.open()
      await appendAll(
        store,
        Array.from({ length: 2_500 }, (_, n) => event(n)),
      )
      value(await store.append([event(9_000, { session_id: 'other' })]))
      await appendAll(
        store,
        Array.from({ length: 50 }, (_, n) => event(3_000 + n)),
      )
      await forget(store, [{ source: 'custom', id: 's1' }])
      const reading = take(store, 0, 2)
      value(await store.append([event(9_001, { session_id: 'other' })]))
      expect((await reading).map(({ seq }) => seq)).toEqual([2_501, 2_552])
    })

    it('lets appends continue meanwhile', async () => {
      const { store } = await bench.open()
      const list = day(74, 8_000)
      await appendAll(store, list.slice(0, 6_000))
      const [one] = findSessions(list)
      if (one === undefined) throw new Error('an empty day')
      const forgetting = forget(store, [one])
      for (let at = 6_000; at < 8_000; at += 100) value(await store.append(list.slice(at, at + 100)))
      await forgetting
      const left = (await readEvents(store)).filter(
        ({ source, session_id }) => source === one.source && session_id === one.id,
      )
      expect(left).toEqual([])
      expect(value(await store.rebuild({ check: true })).differences).toBe(0)
    })
  })
}

const sortedById = <A extends { readonly source: string; readonly session_id: string; readonly id: string }>(
  agents: readonly A[],
): readonly A[] => agents.toSorted((a, b) => (agentName(a) < agentName(b) ? -1 : 1))

const agentName = (agent: { readonly source: string; readonly session_id: string; readonly id: string }) =>
  `${agent.source} ${agent.session_id} ${agent.id}`
