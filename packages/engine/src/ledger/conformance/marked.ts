import { describe, expect, it } from 'vitest'
import { event } from './kit.ts'
import { type LedgerLab, useLab, value } from './lab.ts'

export function describeMarked(lab: LedgerLab): void {
  describe('what people wrote about sessions', () => {
    const bench = useLab(lab)
    const one = { source: 'claude-code', id: 'one' }
    const two = { source: 'hermes', id: 'one' }

    it('is changed as far as it is given, and stays', async () => {
      const opened = await bench.open()
      const { marked } = opened.ledger
      expect(value(await marked.list({}))).toEqual([])
      expect(value(await marked.mark(one, { tags: ['good', "it's"] }))).toEqual({
        ...one,
        tags: ['good', "it's"],
        note: null,
      })
      value(await marked.mark(one, { note: 'Read “this” again.\n' }))
      value(await marked.mark(two, { note: 'other', tags: ['good'] }))
      const again = (await bench.reopen(opened)).ledger.marked
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

    it('is gone when nothing of it is left', async () => {
      const { marked } = (await bench.open()).ledger
      value(await marked.mark(one, { tags: ['a'], note: 'b' }))
      value(await marked.mark(one, { tags: [] }))
      expect(value(await marked.list({}))).toEqual([{ ...one, tags: [], note: 'b' }])
      value(await marked.mark(one, { note: null }))
      expect(value(await marked.list({}))).toEqual([])
    })

    it('keeps filters by name', async () => {
      const opened = await bench.open()
      const { marked } = opened.ledger
      value(await marked.saveFilter('week', { since: '7d', errors: true }))
      value(await marked.saveFilter('b', { q: 'x' }))
      value(await marked.saveFilter('week', { since: '14d' }))
      expect(value(await (await bench.reopen(opened)).ledger.marked.filters())).toEqual([
        { name: 'b', query: { q: 'x' } },
        { name: 'week', query: { since: '14d' } },
      ])
    })

    it('loses a filter once, is no part of the log, and goes into a backup', async () => {
      const opened = await bench.open()
      const { ledger } = opened
      value(await ledger.append([event(1)]))
      value(await ledger.marked.saveFilter('b', {}))
      expect(value(await ledger.marked.dropFilter('b'))).toBe(true)
      expect(value(await ledger.marked.dropFilter('b'))).toBe(false)
      value(await ledger.marked.mark(one, { note: 'kept' }))
      expect(value(await ledger.head())).toEqual({ first: 1, last: 1 })
      value(await ledger.rebuild({ check: false }))
      const file = bench.backupFile(opened)
      value(await ledger.backup(file))
      const copy = await bench.restore(file)
      expect(value(await copy.marked.list({}))).toEqual([{ ...one, tags: [], note: 'kept' }])
    })
  })
}
