import { mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { skillUseEvent } from '@panoptes/engine/outcomes'
import { openSqliteStore } from '@panoptes/engine/store'
import type { LedgerSkillsReply, SkillReviewReply } from '@panoptes/schema'
import { describe, expect, it, onTestFinished } from 'vitest'
import { orFail } from '../../failure.ts'
import { saidIn } from '../templates/templates.test-kit.ts'
import { list } from './list.ts'
import { review } from './review.ts'

const DAY = 86_400_000

/** Creates a home with skill folders and recorded uses. */
async function homeWith(
  uses: readonly { readonly skill: string; readonly success: boolean; readonly ago: number }[],
) {
  const home = mkdtempSync(join(tmpdir(), 'panoptes-skills-'))
  onTestFinished(() => rmSync(home, { recursive: true, force: true }))
  const said = saidIn(home)
  const store = orFail(await openSqliteStore(said.context.paths.store))
  const events = uses.map(({ skill, success, ago }) =>
    orFail(skillUseEvent({ skill, success }, { now: Date.now() - ago * DAY, host: 'h' })),
  )
  orFail(await store.append(events))
  await store.close()
  return said
}

function shelve(home: string, name: string): string {
  const folder = join(home, '.claude', 'skills', name)
  const old = new Date(Date.now() - 90 * DAY)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), `---\nname: ${name}\n---\n`)
  utimesSync(join(folder, 'SKILL.md'), old, old)
  utimesSync(folder, old, old)
  return join(folder, 'SKILL.md')
}

const many = (skill: string, count: number, failed: number, ago: number) =>
  Array.from({ length: count }, (_, n) => ({ skill, success: n >= failed, ago }))

describe('skills without a daemon', () => {
  it('are listed with their verdicts', async () => {
    const said = await homeWith([
      ...many('write-migration', 21, 1, 2),
      ...many('fix-flaky', 6, 4, 3),
      ...many('scrape-docs', 3, 0, 40),
      ...many('review-diff', 20, 0, 1),
    ])
    shelve(said.home, 'scrape-docs')
    shelve(said.home, 'never-used')

    await list(said.context, {})
    const { skills } = said.document() as LedgerSkillsReply
    expect(Object.fromEntries(skills.map(({ skill, verdict }) => [skill, verdict]))).toEqual({
      'write-migration': 'validated',
      'fix-flaky': 're-extract',
      'scrape-docs': 'archive',
      'review-diff': 'watching',
      'never-used': 'archive',
    })
    expect(said.text()).toContain('20 of 21 uses in 30 days succeeded (95.2 %)')
    await list(said.context, { verdict: 'archive', csv: true })
    expect(said.text().split('\n')).toHaveLength(3)
    expect(said.text()).toContain('\nscrape-docs,0,0,0,,,,,,')
  })

  it('are changed by review --apply and restored by --undo', async () => {
    const said = await homeWith([...many('write-migration', 21, 1, 2), ...many('scrape-docs', 3, 0, 40)])
    const migration = shelve(said.home, 'write-migration')
    shelve(said.home, 'scrape-docs')
    await review(said.context, {})
    expect(said.text()).toContain('Nothing was changed. To make 2 changes: panoptes skills review --apply')
    expect(readFileSync(migration, 'utf8')).not.toContain('stability')

    await review(said.context, { apply: true })
    const done = said.document() as SkillReviewReply
    expect(
      done.changes
        .filter((change) => change.done)
        .map(({ skill }) => skill)
        .sort(),
    ).toEqual(['scrape-docs', 'write-migration'])
    expect(readFileSync(migration, 'utf8')).toBe('---\nname: write-migration\nstability: validated\n---\n')
    const archived = join(said.home, '.claude', 'skills', '_archive', 'scrape-docs', 'SKILL.md')
    expect(readFileSync(archived, 'utf8')).toContain('scrape-docs')

    await review(said.context, { undo: true })
    expect(said.text()).toContain('Undid 2 changes.')
    expect(readFileSync(migration, 'utf8')).toBe('---\nname: write-migration\n---\n')
    expect(readFileSync(join(said.home, '.claude', 'skills', 'scrape-docs', 'SKILL.md'), 'utf8')).toContain(
      'name',
    )
    await review(said.context, { undo: true })
    expect(said.text()).toBe('There is nothing to undo')
  })

  it('cannot be applied and undone in one command', async () => {
    const said = await homeWith([])
    await expect(review(said.context, { apply: true, undo: true })).rejects.toMatchObject({ exit: 2 })
  })
})
