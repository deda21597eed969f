import { describe, expect, it } from 'vitest'
import type { ContributionRow } from '../achievement-store-port.ts'
import type { EventStore } from '../port.ts'
import { event } from './event-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'

export function describeAchieving(lab: StoreLab): void {
  describe('achievement contributions', () => {
    const bench = useLab(lab)
    const row = (id: string, more: Partial<ContributionRow> = {}): ContributionRow => ({
      scope: 'hermes /a',
      source: 'hermes',
      id,
      fingerprint: `f-${id}`,
      doc: JSON.stringify({ title: `About ${id}`, values: { message_count: 3 } }),
      ...more,
    })
    const unlock = (id: string, session: string | null, view = 'all') => ({
      view,
      id,
      doc: JSON.stringify({ unlocked_at: 5, evidence: session && { session_id: session, value: 1 } }),
    })
    const all = async ({ achievementStore }: EventStore, scope = 'hermes /a') =>
      value(await achievementStore.contributions(scope, '', 100))

    it('are stored by scope, read in pages by id, and replaced by the last write', async () => {
      const { store } = await bench.open()
      const { achievementStore } = store
      const ids = ['é', 'b', 'a', '日', 'c']
      value(await achievementStore.contribute(ids.map((id) => row(id))))
      value(
        await achievementStore.contribute([
          row('b', { scope: 'hermes /b' }),
          row('a', { fingerprint: 'new' }),
        ]),
      )
      const seen: string[] = []
      for (let after = '', more = true; more; ) {
        const page = value(await achievementStore.contributions('hermes /a', after, 2))
        seen.push(...page.map(({ id }) => id))
        after = page.at(-1)?.id ?? after
        more = page.length === 2
      }
      expect(seen).toEqual(['a', 'b', 'c', 'é', '日'])
      expect((await all(store))[0]).toEqual(row('a', { fingerprint: 'new' }))
      expect(await all(store, 'hermes /b')).toHaveLength(1)
    })

    it('survive reopening, are not part of the log, and are in backups', async () => {
      const opened = await bench.open()
      value(await opened.store.append([event(1)]))
      value(await opened.store.achievementStore.contribute([row('a')]))
      value(await opened.store.achievementStore.unlock([unlock('x', 'a')]))
      value(await opened.store.rebuild({ check: false }))
      const again = await bench.reopen(opened)
      expect(await all(again.store)).toEqual([row('a')])
      const file = bench.backupFile(again)
      value(await again.store.backup(file))
      const copy = await bench.restore(file)
      expect(await all(copy)).toEqual([row('a')])
      expect(value(await copy.achievementStore.unlocks('all'))).toEqual([unlock('x', 'a')])
      expect(value(await copy.head()).last).toBe(1)
    })

    it('are dropped per scope, while unlocks are dropped per view', async () => {
      const { store } = await bench.open()
      const { achievementStore } = store
      value(await achievementStore.contribute([row('a'), row('b'), row('a', { scope: 'hermes /b' })]))
      expect(value(await achievementStore.drop('hermes /a'))).toBe(2)
      expect(value(await achievementStore.drop('hermes /a'))).toBe(0)
      expect(await all(store, 'hermes /b')).toHaveLength(1)
      value(
        await achievementStore.unlock([unlock('x', null), unlock('y', null), unlock('x', null, 'hermes')]),
      )
      value(await achievementStore.unlock([unlock('x', 'a')]))
      expect(value(await achievementStore.unlocks('all'))).toEqual([unlock('x', 'a'), unlock('y', null)])
      value(
        await achievementStore.unlock([unlock('x', null, 'all\nAsia/Tokyo'), unlock('x', null, 'all /db')]),
      )
      expect(value(await achievementStore.lock('all'))).toBe(3)
      expect(value(await achievementStore.unlocks('all'))).toEqual([])
      expect(value(await achievementStore.unlocks('all /db'))).toHaveLength(1)
      expect(value(await achievementStore.unlocks('hermes'))).toHaveLength(1)
    })

    it('store named notes, with the last write winning', async () => {
      const opened = await bench.open()
      expect(value(await opened.store.achievementStore.notes())).toEqual(new Map())
      for (const zone of ['UTC', 'Asia/Tokyo'])
        value(await opened.store.achievementStore.note('time_zone', zone))
      value(await opened.store.achievementStore.note("home 'a'", '/b'))
      const { store } = await bench.reopen(opened)
      expect(value(await store.achievementStore.notes())).toEqual(
        new Map([
          ["home 'a'", '/b'],
          ['time_zone', 'Asia/Tokyo'],
        ]),
      )
    })

    it('keep their numbers but lose their identity when a session is forgotten', async () => {
      const { store } = await bench.open()
      const { achievementStore, forgetting } = store
      const skipped = [{ place: '/a#one:1', reason: 'x' }]
      const doc = JSON.stringify({ title: 'About one', skipped, values: { message_count: 3 } })
      const other = row('one', { scope: 'codex', source: 'codex' })
      value(await achievementStore.contribute([row('one', { doc }), row('two'), other]))
      value(await achievementStore.unlock([unlock('x', 'one'), unlock('y', 'two')]))
      const one = { source: 'hermes', id: 'one' }
      value(await forgetting.begin([one]))
      const removed = value(await forgetting.remove([one]))
      value(await forgetting.end([one]))
      expect(removed).toContainEqual({ from: 'ledger', what: 'achievements', count: 2 })
      const rows = await all(store)
      expect(JSON.stringify(rows)).not.toContain('one')
      expect(rows).toHaveLength(2)
      expect(rows.map(({ doc: kept }) => JSON.parse(kept).values.message_count)).toEqual([3, 3])
      expect(await all(store, 'codex')).toEqual([other])
      expect(value(await achievementStore.unlocks('all'))).toEqual([unlock('x', null), unlock('y', 'two')])
    })
  })
}
