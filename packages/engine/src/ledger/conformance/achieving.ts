import { describe, expect, it } from 'vitest'
import type { ContributionRow } from '../achieved-port.ts'
import type { Ledger } from '../port.ts'
import { event } from './kit.ts'
import { type LedgerLab, useLab, value } from './lab.ts'

export function describeAchieving(lab: LedgerLab): void {
  describe('what sessions amounted to', () => {
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
    const all = async ({ achieved }: Ledger, scope = 'hermes /a') =>
      value(await achieved.contributions(scope, '', 100))

    it('is kept by scope, read in pages in the order of ids, and the last word counts', async () => {
      const { ledger } = await bench.open()
      const { achieved } = ledger
      const ids = ['é', 'b', 'a', '日', 'c']
      value(await achieved.contribute(ids.map((id) => row(id))))
      value(await achieved.contribute([row('b', { scope: 'hermes /b' }), row('a', { fingerprint: 'new' })]))
      const seen: string[] = []
      for (let after = '', more = true; more; ) {
        const page = value(await achieved.contributions('hermes /a', after, 2))
        seen.push(...page.map(({ id }) => id))
        after = page.at(-1)?.id ?? after
        more = page.length === 2
      }
      expect(seen).toEqual(['a', 'b', 'c', 'é', '日'])
      expect((await all(ledger))[0]).toEqual(row('a', { fingerprint: 'new' }))
      expect(await all(ledger, 'hermes /b')).toHaveLength(1)
    })

    it('stays when the ledger is opened again, is no part of the log, and goes into a backup', async () => {
      const opened = await bench.open()
      value(await opened.ledger.append([event(1)]))
      value(await opened.ledger.achieved.contribute([row('a')]))
      value(await opened.ledger.achieved.unlock([unlock('x', 'a')]))
      value(await opened.ledger.rebuild({ check: false }))
      const again = await bench.reopen(opened)
      expect(await all(again.ledger)).toEqual([row('a')])
      const file = bench.backupFile(again)
      value(await again.ledger.backup(file))
      const copy = await bench.restore(file)
      expect(await all(copy)).toEqual([row('a')])
      expect(value(await copy.achieved.unlocks('all'))).toEqual([unlock('x', 'a')])
      expect(value(await copy.head()).last).toBe(1)
    })

    it('is dropped a scope at a time, and unlocks a view at a time', async () => {
      const { ledger } = await bench.open()
      const { achieved } = ledger
      value(await achieved.contribute([row('a'), row('b'), row('a', { scope: 'hermes /b' })]))
      expect(value(await achieved.drop('hermes /a'))).toBe(2)
      expect(value(await achieved.drop('hermes /a'))).toBe(0)
      expect(await all(ledger, 'hermes /b')).toHaveLength(1)
      value(await achieved.unlock([unlock('x', null), unlock('y', null), unlock('x', null, 'hermes')]))
      value(await achieved.unlock([unlock('x', 'a')]))
      expect(value(await achieved.unlocks('all'))).toEqual([unlock('x', 'a'), unlock('y', null)])
      value(await achieved.unlock([unlock('x', null, 'all\nAsia/Tokyo'), unlock('x', null, 'all /db')]))
      expect(value(await achieved.lock('all'))).toBe(3)
      expect(value(await achieved.unlocks('all'))).toEqual([])
      expect(value(await achieved.unlocks('all /db'))).toHaveLength(1)
      expect(value(await achieved.unlocks('hermes'))).toHaveLength(1)
    })

    it('remembers by name what has to be known first, and the last word counts', async () => {
      const opened = await bench.open()
      expect(value(await opened.ledger.achieved.notes())).toEqual(new Map())
      for (const zone of ['UTC', 'Asia/Tokyo']) value(await opened.ledger.achieved.note('time_zone', zone))
      value(await opened.ledger.achieved.note("home 'a'", '/b'))
      const { ledger } = await bench.reopen(opened)
      expect(value(await ledger.achieved.notes())).toEqual(
        new Map([
          ["home 'a'", '/b'],
          ['time_zone', 'Asia/Tokyo'],
        ]),
      )
    })

    it('keeps its numbers when a session is forgotten, and nothing tells whose they are', async () => {
      const { ledger } = await bench.open()
      const { achieved, forgetting } = ledger
      const skipped = [{ place: '/a#one:1', reason: 'x' }]
      const doc = JSON.stringify({ title: 'About one', skipped, values: { message_count: 3 } })
      const other = row('one', { scope: 'codex', source: 'codex' })
      value(await achieved.contribute([row('one', { doc }), row('two'), other]))
      value(await achieved.unlock([unlock('x', 'one'), unlock('y', 'two')]))
      const one = { source: 'hermes', id: 'one' }
      value(await forgetting.begin([one]))
      const removed = value(await forgetting.remove([one]))
      value(await forgetting.end([one]))
      expect(removed).toContainEqual({ from: 'ledger', what: 'achievements', count: 2 })
      const rows = await all(ledger)
      expect(JSON.stringify(rows)).not.toContain('one')
      expect(rows).toHaveLength(2)
      expect(rows.map(({ doc: kept }) => JSON.parse(kept).values.message_count)).toEqual([3, 3])
      expect(await all(ledger, 'codex')).toEqual([other])
      expect(value(await achieved.unlocks('all'))).toEqual([unlock('x', null), unlock('y', 'two')])
    })
  })
}
