import { describe, expect, it } from 'vitest'
import type { InjectionRow, TemplateNoteRow } from '../template-uses-port.ts'
import { event } from './event-kit.ts'
import { type StoreLab, useLab, value } from './lab.ts'
import { injection } from './rows-kit.ts'

export function describeTemplating(lab: StoreLab): void {
  describe('template uses', () => {
    const bench = useLab(lab)
    const to = (id: string, more: Partial<InjectionRow> = {}) =>
      injection(`codex/${id}`, { source: 'codex', session_id: id, project: 'notes', ...more })
    const note = (name: string, more: Partial<TemplateNoteRow> = {}): TemplateNoteRow => ({
      name,
      made_at: 5.5,
      source: 'codex',
      session_id: 'one',
      doc: JSON.stringify({ source: 'codex', title: 'About one', project: 'notes', secrets_removed: 3 }),
      ...more,
    })
    const one = { source: 'codex', id: 'one' }

    it('stores each use once, oldest first, and filters by template and session', async () => {
      const { templateUses } = (await bench.open()).store
      const late = injection('b', { ts: 9_000, drawn: true, arm: 'without' })
      const other = to('one', { ts: 5_000, template: 'other', place: 'hermes', made_at: 0 })
      for (const row of [late, other, injection('a'), injection('c')])
        expect(value(await templateUses.inject(row))).toBe(true)
      expect(value(await templateUses.inject(injection('a', { template: 'other' })))).toBe(false)
      expect(value(await templateUses.injections({}))).toEqual([injection('a'), injection('c'), other, late])
      expect(value(await templateUses.injections({ template: 'tidy' }))).toHaveLength(3)
      expect(value(await templateUses.injections({ session: one }))).toEqual([other])
      expect(value(await templateUses.injections({ template: 'tidy', session: one }))).toEqual([])
      expect(value(await templateUses.injections({ session: { source: 'hermes', id: 'one' } }))).toEqual([])
    })

    it('stores the last note on a template, and keeps another template of the same name apart', async () => {
      const { templateUses } = (await bench.open()).store
      const made = note('made elsewhere', { source: null, session_id: null })
      for (const row of [note('tidy'), note('tidy', { made_at: 9 }), note('tidy', { doc: '{}' }), made])
        value(await templateUses.note(row))
      expect(value(await templateUses.notes())).toEqual([
        made,
        note('tidy', { doc: '{}' }),
        note('tidy', { made_at: 9 }),
      ])
    })

    it('survives reopening, is not part of the log, and is in backups', async () => {
      const opened = await bench.open()
      value(await opened.store.append([event(1)]))
      value(await opened.store.templateUses.inject(to('one')))
      value(await opened.store.templateUses.note(note('tidy')))
      value(await opened.store.rebuild({ check: false }))
      const again = await bench.reopen(opened)
      const file = bench.backupFile(again)
      value(await again.store.backup(file))
      for (const { templateUses, head } of [again.store, await bench.restore(file)].map((store) => ({
        templateUses: store.templateUses,
        head: () => store.head(),
      }))) {
        expect(value(await templateUses.injections({}))).toEqual([to('one')])
        expect(value(await templateUses.notes())).toEqual([note('tidy')])
        expect(value(await head()).last).toBe(1)
      }
    })

    it('removes everything that identifies a forgotten session, and stores no more of it', async () => {
      const { templateUses, forgetting } = (await bench.open()).store
      const namesake = injection('hermes/one', { source: 'hermes', session_id: 'one' })
      const made = { template: 'code_one_1', made_at: 5.5 }
      const users = [to('two', { ...made }), to('three', { ...made, key: 'codex/three/panoptes/code_one_1' })]
      const others = [to('four', { ...made, place: 'hermes' }), to('five', { ...made, made_at: 6 })]
      for (const row of [to('one'), ...users, namesake, ...others]) value(await templateUses.inject(row))
      value(await templateUses.note(note('code_one_1')))
      value(await templateUses.note(note('kept', { session_id: 'two' })))
      value(await forgetting.begin([one]))
      const removed = value(await forgetting.remove([one]))
      value(await forgetting.end([one]))
      expect(removed).toContainEqual({ from: 'ledger', what: 'templates', count: 4 })
      const rows = value(await templateUses.injections({}))
      expect(rows[0]).toEqual({
        ...injection(rows[0]?.key ?? ''),
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
      expect(value(await templateUses.notes())).toEqual([note('kept', { session_id: 'two' })])
      expect(value(await templateUses.inject(to('one', { template: 'other' })))).toBe(false)
      value(await templateUses.note(note('late')))
      expect(value(await templateUses.injections({}))).toHaveLength(6)
      expect(value(await templateUses.notes())).toHaveLength(1)
    })
  })
}
