import { describe, expect, it } from 'vitest'
import { event } from './event-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'

export function describeMarked(lab: StoreLab): void {
  describe('session annotations', () => {
    const bench = useLab(lab)
    const one = { source: 'claude-code', id: 'one' }
    const two = { source: 'hermes', id: 'one' }

    it('change only in the given fields and persist', async () => {
      const opened = await bench.open()
      const { annotations } = opened.store
      expect(value(await annotations.list({}))).toEqual([])
      expect(value(await annotations.mark(one, { tags: ['good', "it's"] }))).toEqual({
        ...one,
        tags: ['good', "it's"],
        note: null,
      })
      value(await annotations.mark(one, { note: 'Read “this” again.\n' }))
      value(await annotations.mark(two, { note: 'other', tags: ['good'] }))
      const again = (await bench.reopen(opened)).store.annotations
      expect(value(await again.list({ of: [one] }))).toEqual([
        { ...one, tags: ['good', "it's"], note: 'Read “this” again.\n' },
      ])
      expect(value(await again.list({ tag: 'good' }))).toHaveLength(2)
      expect(value(await again.list({ tag: 'good', of: [two] }))).toHaveLength(1)
      expect(value(await again.list({ tag: 'goo' }))).toEqual([])
      expect(value(await again.list({ of: [] }))).toEqual([])
      expect(value(await again.tags())).toEqual([
        { tag: 'good', sessions: 2 },
        { tag: "it's", sessions: 1 },
      ])
    })

    it('disappear when nothing is left in them', async () => {
      const { annotations } = (await bench.open()).store
      value(await annotations.mark(one, { tags: ['a'], note: 'b' }))
      value(await annotations.mark(one, { tags: [] }))
      expect(value(await annotations.list({}))).toEqual([{ ...one, tags: [], note: 'b' }])
      value(await annotations.mark(one, { note: null }))
      expect(value(await annotations.list({}))).toEqual([])
    })

    it('include saved filters by name', async () => {
      const opened = await bench.open()
      const { annotations } = opened.store
      value(await annotations.saveFilter('week', { since: '7d', errors: true }))
      value(await annotations.saveFilter('b', { q: 'x' }))
      value(await annotations.saveFilter('week', { since: '14d' }))
      expect(value(await (await bench.reopen(opened)).store.annotations.filters())).toEqual([
        { name: 'b', query: { q: 'x' } },
        { name: 'week', query: { since: '14d' } },
      ])
    })

    it('delete a filter once, are not part of the log, and are in backups', async () => {
      const opened = await bench.open()
      const { store } = opened
      value(await store.append([event(1)]))
      value(await store.annotations.saveFilter('b', {}))
      expect(value(await store.annotations.dropFilter('b'))).toBe(true)
      expect(value(await store.annotations.dropFilter('b'))).toBe(false)
      value(await store.annotations.mark(one, { note: 'kept' }))
      expect(value(await store.head())).toEqual({ first: 1, last: 1 })
      value(await store.rebuild({ check: false }))
      const file = bench.backupFile(opened)
      value(await store.backup(file))
      const copy = await bench.restore(file)
      expect(value(await copy.annotations.list({}))).toEqual([{ ...one, tags: [], note: 'kept' }])
    })
  })
}
