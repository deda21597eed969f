import { describe, expect, it } from 'vitest'
import type { InjectionRow, TemplateNoteRow } from '../templated-port.ts'
import { given } from './beside-kit.ts'
import { event } from './kit.ts'
import { type LedgerLab, useLab, value } from './lab.ts'

export function describeTemplating(lab: LedgerLab): void {
  describe('what is known of templates', () => {
    const bench = useLab(lab)
    const to = (id: string, more: Partial<InjectionRow> = {}) =>
      given(`codex/${id}`, { source: 'codex', session_id: id, project: 'notes', ...more })
    const note = (name: string, more: Partial<TemplateNoteRow> = {}): TemplateNoteRow => ({
      name,
      made_at: 5.5,
      source: 'codex',
      session_id: 'one',
      doc: JSON.stringify({ source: 'codex', title: 'About one', project: 'notes', secrets_removed: 3 }),
      ...more,
    })
    const one = { source: 'codex', id: 'one' }

    it('keeps each use once, the oldest first, and finds those of a template and of a session', async () => {
      const { templated } = (await bench.open()).ledger
      const late = given('b', { ts: 9_000, drawn: true, arm: 'without' })
      const other = to('one', { ts: 5_000, template: 'other', place: 'hermes', made_at: 0 })
      for (const row of [late, other, given('a'), given('c')])
        expect(value(await templated.inject(row))).toBe(true)
      expect(value(await templated.inject(given('a', { template: 'other' })))).toBe(false)
      expect(value(await templated.injections({}))).toEqual([given('a'), given('c'), other, late])
      expect(value(await templated.injections({ template: 'tidy' }))).toHaveLength(3)
      expect(value(await templated.injections({ session: one }))).toEqual([other])
      expect(value(await templated.injections({ template: 'tidy', session: one }))).toEqual([])
      expect(value(await templated.injections({ session: { source: 'hermes', id: 'one' } }))).toEqual([])
    })

    it('keeps the last word on a template, and another one of its name apart', async () => {
      const { templated } = (await bench.open()).ledger
      const made = note('made elsewhere', { source: null, session_id: null })
      for (const row of [note('tidy'), note('tidy', { made_at: 9 }), note('tidy', { doc: '{}' }), made])
        value(await templated.note(row))
      expect(value(await templated.notes())).toEqual([
        made,
        note('tidy', { doc: '{}' }),
        note('tidy', { made_at: 9 }),
      ])
    })

    it('stays when the ledger is opened again, is no part of the log, and goes into a backup', async () => {
      const opened = await bench.open()
      value(await opened.ledger.append([event(1)]))
      value(await opened.ledger.templated.inject(to('one')))
      value(await opened.ledger.templated.note(note('tidy')))
      value(await opened.ledger.rebuild({ check: false }))
      const again = await bench.reopen(opened)
      const file = bench.backupFile(again)
      value(await again.ledger.backup(file))
      for (const { templated, head } of [again.ledger, await bench.restore(file)].map((ledger) => ({
        templated: ledger.templated,
        head: () => ledger.head(),
      }))) {
        expect(value(await templated.injections({}))).toEqual([to('one')])
        expect(value(await templated.notes())).toEqual([note('tidy')])
        expect(value(await head()).last).toBe(1)
      }
    })

    it('says no more who used it and what it is from once that session is forgotten, and stores no more of it', async () => {
      const { templated, forgetting } = (await bench.open()).ledger
      const namesake = given('hermes/one', { source: 'hermes', session_id: 'one' })
      const made = { template: 'code_one_1', made_at: 5.5 }
      const users = [to('two', { ...made }), to('three', { ...made, key: 'codex/three/panoptes/code_one_1' })]
      const others = [to('four', { ...made, place: 'hermes' }), to('five', { ...made, made_at: 6 })]
      for (const row of [to('one'), ...users, namesake, ...others]) value(await templated.inject(row))
      value(await templated.note(note('code_one_1')))
      value(await templated.note(note('kept', { session_id: 'two' })))
      value(await forgetting.begin([one]))
      const removed = value(await forgetting.remove([one]))
      value(await forgetting.end([one]))
      expect(removed).toContainEqual({ from: 'ledger', what: 'templates', count: 4 })
      const rows = value(await templated.injections({}))
      expect(rows[0]).toEqual({
        ...given(rows[0]?.key ?? ''),
        source: null,
        session_id: null,
        project: null,
      })
      expect(rows[0]?.key).not.toContain('one')
      expect(rows.slice(1)).toEqual([
        to('two', { ...made, template: '' }),
        to('three', { ...made, template: '', key: rows[2]?.key ?? '' }),
        namesake,
        ...others,
      ])
      expect(rows[2]?.key).not.toContain('one')
      expect(value(await templated.notes())).toEqual([note('kept', { session_id: 'two' })])
      expect(value(await templated.inject(to('one', { template: 'other' })))).toBe(false)
      value(await templated.note(note('late')))
      expect(value(await templated.injections({}))).toHaveLength(6)
      expect(value(await templated.notes())).toHaveLength(1)
    })
  })
}
