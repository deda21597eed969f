import { chmod, mkdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { failure, type SkillChange, type SkillReviewReply } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { moveFolder } from './move.ts'
import { NOW, openShelf, type Shelf, treeOf } from './skills.test-kit.ts'
import type { Skills } from './skills.ts'

let shelf: Shelf
beforeEach(async () => {
  shelf = await openShelf()
})
afterEach(() => shelf.end())

const review = async (
  skills: Skills,
  order: { apply?: boolean; undo?: boolean } = {},
): Promise<SkillReviewReply> => {
  const done = await skills.reviewSkills({ apply: false, undo: false, ...order })
  if (!done.ok) throw new Error(done.message)
  return done.value
}
const of = ({ changes }: SkillReviewReply, skill: string): SkillChange | undefined =>
  changes.find((change) => change.skill === skill)
const textOf = (...path: readonly string[]) => readFile(join(...path), 'utf8')
const isThere = (...path: readonly string[]) =>
  stat(join(...path)).then(
    () => true,
    () => false,
  )

describe('skill verdicts', () => {
  it('cover used skills and those with a folder, each with its rate and reason', async () => {
    await shelf.put(shelf.claude, 'tidy')
    await shelf.put(shelf.claude, 'unused', undefined, 3)
    shelf.used('tidy', { judged: 64, successes: 62 })
    shelf.used('plugin:deploy', { judged: 13, successes: 6 })
    const found = await shelf.open().skills()
    if (!found.ok) throw new Error(found.message)
    expect(found.value.window_days).toBe(30)
    expect(found.value.skills.map(({ skill, verdict, folders }) => [skill, verdict, folders.length])).toEqual(
      [
        ['tidy', 'validated', 1],
        ['plugin:deploy', 're-extract', 0],
        ['unused', 'watching', 1],
      ],
    )
    const [tidy] = found.value.skills
    expect(tidy?.rate).toBeCloseTo(0.96875, 9)
    expect(tidy?.low).toBeCloseTo(0.893, 3)
    expect(tidy?.high).toBeCloseTo(0.9914, 3)
  })

  it('cover skills of Claude Code, Hermes, session projects and configured folders, each once', async () => {
    await shelf.put(shelf.claude, 'one')
    await shelf.put(join(shelf.hermes, 'devops'), 'two', '---\nname: deploy-two\n---\n')
    await shelf.put(shelf.hermes, 'three')
    await shelf.put(join(shelf.folder, 'work', '.claude', 'skills'), 'four')
    await shelf.put(join(shelf.home, 'more', 'kind'), 'five')
    await shelf.put(join(shelf.claude, '_archive'), 'gone')
    shelf.projects.push(join(shelf.folder, 'work'), shelf.home, join(shelf.folder, 'nowhere'))
    const found = await shelf.open({}, { folders: ['~/more', shelf.claude] }).skills()
    if (!found.ok) throw new Error(found.message)
    expect(found.value.skills.map(({ skill }) => skill).sort()).toEqual([
      'deploy-two',
      'five',
      'four',
      'one',
      'three',
    ])
  })

  it('respect the folders Claude Code and Hermes are configured to use', async () => {
    await shelf.put(join(shelf.folder, 'cc', 'skills'), 'one')
    await shelf.put(join(shelf.folder, 'h', 'skills'), 'two')
    const env = {
      HOME: shelf.home,
      CLAUDE_CONFIG_DIR: join(shelf.folder, 'cc'),
      HERMES_HOME: join(shelf.folder, 'h'),
    }
    const found = await shelf.open({ env }).skills()
    expect(found.ok && found.value.skills.map(({ skill }) => skill)).toEqual(['one', 'two'])
  })

  it("count any use under any of the skill's names", async () => {
    await shelf.put(shelf.claude, 'folder-name', '---\nname: other name\n---\n')
    await shelf.put(join(shelf.hermes, 'devops'), 'k8s')
    shelf.used('folder-name', { judged: 1 })
    shelf.used('devops/k8s', { judged: 1 })
    const found = await shelf.open().skills()
    expect(found.ok && found.value.skills.map(({ skill, verdict }) => [skill, verdict])).toEqual([
      ['devops/k8s', 'watching'],
      ['folder-name', 'watching'],
    ])
  })

  it('return the failure if sums cannot be read', async () => {
    const gone = async () => failure('io', 'gone')
    const accounts = { skills: gone, costs: gone, agents: gone, skillUses: gone }
    expect(await shelf.open({ accounts }).skills()).toMatchObject({ ok: false, code: 'io' })
  })
})

describe('skill review', () => {
  it('touches nothing in a dry run', async () => {
    await shelf.put(shelf.claude, 'tidy')
    await shelf.put(shelf.claude, 'stale')
    shelf.used('tidy', { judged: 30 })
    const before = await treeOf(shelf.home)
    const shown = await review(shelf.open())
    expect(shown).toMatchObject({ applied: false })
    expect(of(shown, 'tidy')).toMatchObject({ action: 'mark', done: false, verdict: 'validated' })
    expect(of(shown, 'stale')).toMatchObject({
      action: 'archive',
      says: `Move the folder to ${join(shelf.claude, '_archive', 'stale')}`,
    })
    expect(await treeOf(shelf.home)).toEqual(before)
    expect(await isThere(shelf.doneFile)).toBe(false)
  })

  it('archives, marks and unmarks skills, and undo restores every byte', async () => {
    await shelf.put(shelf.claude, 'tidy', '\uFEFF---\r\nname: tidy\r\n---\r\nx')
    await shelf.put(shelf.claude, 'stale')
    await chmod(
      join(await shelf.put(shelf.claude, 'flaky', '---\nstability: validated\n---\n'), 'SKILL.md'),
      0o644,
    )
    await writeFile(join(shelf.claude, 'stale', 'notes.txt'), 'kept')
    await shelf.put(shelf.claude, 'fine', undefined, 1)
    shelf.used('tidy', { judged: 30 })
    shelf.used('flaky', { judged: 10, successes: 2 })
    shelf.used('stale', { ago: 31 })
    const before = await treeOf(shelf.home)
    const skills = shelf.open()

    const done = await review(skills, { apply: true })
    expect(done.changes.map(({ skill, action, done }) => [skill, action, done]).sort()).toEqual([
      ['flaky', 'mark', true],
      ['stale', 'archive', true],
      ['tidy', 'mark', true],
    ])
    expect(await textOf(shelf.claude, 'tidy', 'SKILL.md')).toBe(
      '\uFEFF---\r\nname: tidy\r\nstability: validated\r\n---\r\nx',
    )
    expect(await textOf(shelf.claude, 'flaky', 'SKILL.md')).toBe('---\n---\n')
    expect(await isThere(shelf.claude, 'stale')).toBe(false)
    expect(await textOf(shelf.claude, '_archive', 'stale', 'notes.txt')).toBe('kept')

    const undone = await review(skills, { undo: true })
    expect(undone.changes.every(({ done }) => done)).toBe(true)
    expect(undone.changes).toHaveLength(3)
    expect(await treeOf(shelf.home)).toEqual(before)
    expect((await review(skills, { undo: true })).changes).toEqual([])
  })

  it('is idempotent: the next one finds nothing to do', async () => {
    await shelf.put(shelf.claude, 'tidy')
    await shelf.put(shelf.claude, 'stale')
    shelf.used('tidy', { judged: 30 })
    const skills = shelf.open()
    await review(skills, { apply: true })
    const again = await review(skills, { apply: true })
    expect(again.changes.map(({ skill, action, says }) => [skill, action, says])).toEqual([
      ['tidy', 'none', 'Already marked'],
    ])
    expect((await review(skills, { undo: true })).changes).toHaveLength(2)
  })

  it('reports a skill as archived until it is restored', async () => {
    await shelf.put(shelf.claude, 'stale')
    shelf.used('stale', { judged: 3, ago: 40 })
    shelf.used('elsewhere', { judged: 3, ago: 40 })
    const skills = shelf.open()
    const reasons = async () => {
      const reply = await skills.skills()
      return reply.ok
        ? Object.fromEntries(reply.value.skills.map(({ skill, reason }) => [skill, reason]))
        : {}
    }
    const before = await reasons()
    await review(skills, { apply: true })
    expect(await reasons()).toEqual({
      stale: expect.stringMatching(/^Archived on 2026-11-1\d\. Last used 40 days ago/),
      elsewhere: expect.stringMatching(/^It has no folder here to archive\. Last used 40 days ago/),
    })
    await review(skills, { undo: true })
    expect((await reasons()).stale).toBe(before.stale)
  })

  it('undoes one review after another', async () => {
    await shelf.put(shelf.claude, 'first')
    const skills = shelf.open()
    await review(skills, { apply: true })
    await shelf.put(shelf.claude, 'second')
    await review(skills, { apply: true })
    expect((await review(skills, { undo: true })).changes.map(({ skill }) => skill)).toEqual(['second'])
    expect((await review(skills, { undo: true })).changes.map(({ skill }) => skill)).toEqual(['first'])
    expect(await isThere(shelf.claude, 'first')).toBe(true)
    expect(await isThere(shelf.claude, '_archive')).toBe(false)
  })

  it('overwrites nothing in the archive', async () => {
    await shelf.put(shelf.claude, 'stale')
    await shelf.put(join(shelf.claude, '_archive'), 'stale', 'older')
    const skills = shelf.open()
    await review(skills, { apply: true })
    expect(await textOf(shelf.claude, '_archive', 'stale', 'SKILL.md')).toBe('older')
    expect(await textOf(shelf.claude, '_archive', 'stale-2', 'SKILL.md')).toContain('name: stale')
    await review(skills, { undo: true })
    expect(await textOf(shelf.claude, '_archive', 'stale', 'SKILL.md')).toBe('older')
    expect(await textOf(shelf.claude, 'stale', 'SKILL.md')).toContain('name: stale')
  })

  it('moves skills out of the folder of Hermes, which reads everything in it', async () => {
    await shelf.put(join(shelf.hermes, 'devops'), 'stale')
    const skills = shelf.open()
    await review(skills, { apply: true })
    expect(await isThere(shelf.home, '.hermes', '_archive', 'stale', 'SKILL.md')).toBe(true)
    await review(skills, { undo: true })
    expect(await isThere(shelf.hermes, 'devops', 'stale', 'SKILL.md')).toBe(true)
  })

  it('moves to another device and back', async () => {
    await shelf.put(shelf.claude, 'stale')
    await symlink('SKILL.md', join(shelf.claude, 'stale', 'link'))
    shelf.used('stale', { ago: 31 })
    const far = () => Promise.reject(Object.assign(new Error('far'), { code: 'EXDEV' }))
    const move = (from: string, to: string) => moveFolder(from, to, far as typeof rename)
    const before = await treeOf(shelf.home)
    const skills = shelf.open({ move })
    expect(of(await review(skills, { apply: true }), 'stale')).toMatchObject({ done: true, problem: null })
    expect(await isThere(shelf.claude, 'stale')).toBe(false)
    expect((await review(skills, { undo: true })).changes).toMatchObject([{ done: true }])
    expect(await treeOf(shelf.home)).toEqual(before)
  })

  it('continues with the rest if a skill cannot be read, and names it', async () => {
    await shelf.put(shelf.claude, 'broken', '---\nname: broken\nglobs: *.ts\n---\n')
    await shelf.put(shelf.claude, 'tabs', '---\nname: tabs\nx:\n\ty: 1\n---\n')
    await shelf.put(shelf.claude, 'headless', '# no head\n')
    await shelf.put(shelf.claude, 'stale')
    shelf.used('headless', { judged: 30 })
    shelf.used('tabs', { judged: 1 })
    const before = await textOf(shelf.claude, 'broken', 'SKILL.md')
    const done = await review(shelf.open(), { apply: true })
    expect(of(done, 'broken')).toMatchObject({ action: 'none', done: false })
    expect(of(done, 'broken')?.problem).toContain('not YAML')
    expect(of(done, 'tabs')?.problem).toContain('not YAML')
    expect(of(done, 'headless')).toMatchObject({ done: false, problem: 'its SKILL.md has no front matter' })
    expect(of(done, 'stale')).toMatchObject({ done: true })
    expect(await textOf(shelf.claude, 'broken', 'SKILL.md')).toBe(before)
  })

  it('leaves what is not ours and explains why', async () => {
    const elsewhere = await shelf.put(join(shelf.folder, 'elsewhere'), 'linked')
    await mkdir(shelf.claude, { recursive: true })
    await symlink(elsewhere, join(shelf.claude, 'linked'))
    await chmod(await shelf.put(shelf.claude, 'closed'), 0o555)
    await shelf.put(shelf.claude, 'twin')
    await shelf.put(shelf.hermes, 'twin')
    await shelf.put(join(shelf.hermes, 'devops'), 'brought')
    await shelf.put(shelf.hermes, 'hub')
    await writeFile(join(shelf.hermes, '.bundled_manifest'), 'brought:0123\nother:4567\n')
    await mkdir(join(shelf.hermes, '.hub'))
    await writeFile(join(shelf.hermes, '.hub', 'lock.json'), '{"version":1,"installed":{"hub":{}}}')
    const before = await treeOf(shelf.home)
    const done = await review(shelf.open(), { apply: true })
    expect(done.changes.map(({ skill, action, done }) => [skill, action, done]).sort()).toEqual(
      ['brought', 'closed', 'hub', 'linked', 'twin', 'twin'].map((skill) => [skill, 'none', false]),
    )
    expect(of(done, 'linked')?.problem).toContain('link')
    expect(of(done, 'closed')?.problem).toBe('it is read-only')
    expect(of(done, 'twin')?.problem).toContain('has the same name')
    expect(of(done, 'brought')?.problem).toContain('Hermes')
    expect(of(done, 'hub')?.problem).toContain('hub')
    expect(await treeOf(shelf.home)).toEqual(before)
    await chmod(join(shelf.claude, 'closed'), 0o755)
  })

  it('moves nothing while the history cannot be read', async () => {
    await shelf.put(shelf.claude, 'stale')
    const skills = shelf.open({ upToDate: async () => failure('io', 'the history cannot be read') })
    expect(await skills.reviewSkills({ apply: true, undo: false })).toMatchObject({ ok: false, code: 'io' })
    expect(await isThere(shelf.claude, 'stale')).toBe(true)
  })

  it('is either applied or undone', async () => {
    expect(await shelf.open().reviewSkills({ apply: true, undo: true })).toMatchObject({
      ok: false,
      code: 'invalid',
    })
  })
})

describe('undoing a skill review', () => {
  it('refuses what was changed since, reports it and leaves it', async () => {
    await shelf.put(shelf.claude, 'tidy')
    await shelf.put(shelf.claude, 'stale')
    await shelf.put(shelf.claude, 'gone')
    shelf.used('tidy', { judged: 30 })
    const skills = shelf.open()
    await review(skills, { apply: true })
    await writeFile(join(shelf.claude, 'tidy', 'SKILL.md'), '---\nname: mine\n---\n')
    await shelf.put(shelf.claude, 'stale', 'new')
    await rm(join(shelf.claude, '_archive', 'gone'), { recursive: true })
    const undone = await review(skills, { undo: true })
    expect(undone.changes.every(({ done }) => !done)).toBe(true)
    expect(of(undone, 'tidy')?.problem).toContain('has changed since')
    expect(of(undone, 'stale')?.problem).toContain('exists again')
    expect(of(undone, 'gone')?.problem).toContain('no longer in')
    expect(await textOf(shelf.claude, 'stale', 'SKILL.md')).toBe('new')
    expect(await textOf(shelf.claude, '_archive', 'stale', 'SKILL.md')).toContain('name: stale')

    await rm(join(shelf.claude, 'stale'), { recursive: true })
    expect(of(await review(skills, { undo: true }), 'stale')).toMatchObject({ done: true })
    expect(await textOf(shelf.claude, 'stale', 'SKILL.md')).toContain('name: stale')
  })

  it('continues with the previous review if the last one was refused', async () => {
    await shelf.put(shelf.claude, 'first')
    const skills = shelf.open()
    await review(skills, { apply: true })
    await shelf.put(shelf.claude, 'second')
    await review(skills, { apply: true })
    await shelf.put(shelf.claude, 'second', 'again')
    expect(of(await review(skills, { undo: true }), 'second')?.done).toBe(false)
    const next = await review(skills, { undo: true })
    expect(of(next, 'first')?.done).toBe(true)
  })

  const planned = async (steps: readonly object[]) => {
    await mkdir(join(shelf.folder, 'panoptes'), { recursive: true })
    const document = { v: 1, reviews: [{ at: NOW, steps }] }
    await writeFile(shelf.doneFile, JSON.stringify(document))
  }
  const stale = () => ({
    action: 'archive',
    skill: 'stale',
    verdict: 'archive',
    reason: '',
    from: join(shelf.claude, 'stale'),
    to: join(shelf.claude, '_archive', 'stale'),
    made_archive: true,
    state: 'planned',
  })

  it('handles a review that ended before, during or after a step', async () => {
    const skills = shelf.open()
    await shelf.put(shelf.claude, 'stale')
    await planned([stale()])
    expect((await review(skills, { undo: true })).changes).toEqual([])
    expect(await isThere(shelf.claude, 'stale')).toBe(true)

    await shelf.put(join(shelf.claude, '_archive'), 'stale')
    await planned([stale()])
    expect((await review(skills, { undo: true })).changes).toEqual([])
    expect(await isThere(shelf.claude, '_archive')).toBe(false)
    expect(await isThere(shelf.claude, 'stale')).toBe(true)

    await mkdir(join(shelf.claude, '_archive'))
    await rename(join(shelf.claude, 'stale'), join(shelf.claude, '_archive', 'stale'))
    await planned([stale()])
    expect((await review(skills, { undo: true })).changes).toMatchObject([{ done: true }])
    expect(await isThere(shelf.claude, 'stale')).toBe(true)
  })

  it('handles a step that failed after it took effect', async () => {
    await shelf.put(shelf.claude, 'stale')
    const move: typeof moveFolder = async (from, to) => {
      await moveFolder(from, to)
      throw new Error('the disk went away')
    }
    const done = await review(shelf.open({ move }), { apply: true })
    expect(of(done, 'stale')).toMatchObject({ done: false, problem: 'the disk went away' })
    expect((await review(shelf.open(), { undo: true })).changes).toMatchObject([
      { skill: 'stale', done: true },
    ])
    expect(await isThere(shelf.claude, 'stale')).toBe(true)
  })

  it('leaves no trace of a step that did not take effect', async () => {
    await shelf.put(shelf.claude, 'stale')
    const move = () => Promise.reject(new Error('no'))
    expect(of(await review(shelf.open({ move }), { apply: true }), 'stale')).toMatchObject({ done: false })
    expect(await isThere(shelf.claude, 'stale')).toBe(true)
    expect((await review(shelf.open(), { undo: true })).changes).toEqual([])
  })

  it('touches nothing if the record is damaged or newer', async () => {
    await shelf.put(shelf.claude, 'stale')
    await mkdir(join(shelf.folder, 'panoptes'))
    for (const [text, code] of [
      ['{"v":1,', 'corrupt'],
      ['{"v":2,"reviews":[]}', 'newer_version'],
    ] as const) {
      await writeFile(shelf.doneFile, text)
      for (const order of [
        { apply: true, undo: false },
        { apply: false, undo: true },
      ])
        expect(await shelf.open().reviewSkills(order)).toMatchObject({ ok: false, code })
      expect(await textOf(shelf.doneFile)).toBe(text)
    }
    expect(await isThere(shelf.claude, 'stale')).toBe(true)
  })
})

describe('recording a skill use', () => {
  it('creates an event each time', async () => {
    const skills = shelf.open({ host: 'h' })
    const use = { skill: 'tidy', success: true, duration_ms: 0, agent_id: 'a', trajectory_id: 't' }
    const answer = { ok: true, value: { ok: true, skill: 'tidy', ts: Math.floor(NOW / 1_000) } }
    expect(await skills.recordSkill(use)).toEqual(answer)
    expect(await skills.recordSkill(use)).toEqual(answer)
    const [one, other] = shelf.appended
    expect(one).toMatchObject({
      event: 'skill_use',
      source: 'panoptes',
      from_hook: true,
      skill: 'tidy',
      success: true,
      duration_ms: 0,
      agent_id: 'a',
      trajectory_id: 't',
    })
    expect(one?.session_id).toMatch(/^recorded-\d{4}-\d\d-\d\d$/)
    expect(one?.key).not.toBe(other?.key)
  })

  it('rejects an invalid name and a negative time', async () => {
    const skills = shelf.open()
    for (const use of [
      { skill: '', success: true },
      { skill: 'a\0b', success: true },
      { skill: 'a', success: true, duration_ms: -1 },
    ])
      expect(await skills.recordSkill(use)).toMatchObject({ ok: false, code: 'invalid' })
    expect(shelf.appended).toEqual([])
  })
})
