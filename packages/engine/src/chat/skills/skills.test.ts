import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findSkills, type SkillRoot } from '@panoptes/engine/skill-folders'
import { failure, success } from '@panoptes/schema/result'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createShortlister, type PastUses, rankSkills } from './shortlist.ts'

const never = new AbortController().signal
/** Generous, because a busy machine reads folders slowly. */
const timeoutMs = 30_000
let folder = ''
const roots = (): readonly SkillRoot[] => [
  { folder: join(folder, 'claude'), of: 'claude-code', kinds: false },
  { folder: join(folder, 'hermes'), of: 'hermes', kinds: true },
  { folder: join(folder, 'project'), of: 'project', kinds: false },
]

const skill = async (place: string, head: string, body = '# Body') => {
  await mkdir(join(folder, place), { recursive: true })
  await writeFile(join(folder, place, 'SKILL.md'), `---\n${head}\n---\n${body}\n`)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'panoptes-shortlist-'))
  await skill(
    'claude/csv-import',
    'name: csv-import\ndescription: Import CSV files and check their columns.\ntags: [csv, import]',
  )
  await skill('claude/release', 'name: release\ndescription: Publish a release with a changelog.')
  await skill(
    'hermes/data/parquet',
    'name: parquet\ndescription: Read and write Parquet files.\nmetadata:\n  hermes:\n    tags: [columns, data]',
  )
  await skill(
    'project/invoices',
    'name: invoices\ndescription: How invoices are imported here; columns and taxes.',
  )
  await skill('hermes/odd/nothing', 'name: nothing')
  await skill('claude/fanyi', 'name: fanyi\ndescription: 翻译文档并检查术语')
  for (let at = 0; at < 20; at += 1)
    await skill(`claude/filler-${at}`, `name: filler-${at}\ndescription: invoices number ${at}`)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const names = async (message: string, past: ReadonlyMap<string, PastUses> = new Map()) =>
  rankSkills({ message, skills: await findSkills(roots()), past }).skills.map(({ name }) => name)

describe('shortlist of skills', () => {
  it('has the relevant skills, best first, with reasons and the number left out', async () => {
    const skills = await findSkills(roots())
    const {
      skills: best,
      left_out,
      status,
    } = rankSkills({ message: 'Import this CSV, its columns are strange', skills, past: new Map() })
    expect(best[0]).toMatchObject({
      name: 'csv-import',
      of: 'claude-code',
      reasons: ['name: import, csv', 'description: column'],
    })
    expect(best.map(({ name }) => name)).toEqual(['csv-import', 'invoices', 'parquet'])
    expect(best[1]?.reasons).toContain('of this project')
    expect({ left_out, status }).toEqual({ left_out: skills.length - 3, status: 'ok' })
  })

  it('has at most eight skills, and none if nothing fits', async () => {
    expect(await names('invoices')).toHaveLength(8)
    expect(await names('something else entirely')).toEqual([])
    expect(await names('')).toEqual([])
  })

  it('puts a named skill first', async () => {
    expect((await names('invoices and columns, with filler-7'))[0]).toBe('filler-7')
    expect((await names('/release invoices'))[0]).toBe('release')
  })

  it('prefers a project skill or a validated one among equals', async () => {
    const [found] = await findSkills(roots())
    if (found === undefined) throw new Error('no skill')
    const like = (name: string, more: object) => ({
      ...found,
      name,
      names: [name],
      description: 'turtles',
      tags: [],
      isMarked: false,
      of: 'claude-code' as const,
      ...more,
    })
    const skills = [like('aaa', {}), like('bbb', { isMarked: true }), like('ccc', { of: 'project' })]
    const { skills: best } = rankSkills({ message: 'turtles', skills, past: new Map() })
    expect(best.map(({ name }) => name)).toEqual(['ccc', 'bbb', 'aaa'])
    expect(best[1]?.reasons).toContain('marked as validated')
  })

  it('works for scripts without spaces too', async () => {
    expect(await names('请翻译这个')).toEqual(['fanyi'])
  })

  it('ranks skills that worked above those that did not, with the reason', async () => {
    const past = (successes: number): PastUses => ({ judged: 20, successes })
    const good = await names(
      'invoices',
      new Map([
        ['filler-3', past(20)],
        ['invoices', past(0)],
      ]),
    )
    expect(good[0]).toBe('filler-3')
    const skills = await findSkills(roots())
    const one = rankSkills({ message: 'release', skills, past: new Map([['release', past(18)]]) }).skills[0]
    expect(one?.reasons).toContain('worked 18 of 20 times')
  })

  it('does not depend on the order in which skills are found', async () => {
    const skills = await findSkills(roots())
    const list = (all: typeof skills) =>
      rankSkills({ message: 'import columns of invoices', skills: all, past: new Map() })
    await fc.assert(
      fc.asyncProperty(fc.shuffledSubarray([...skills], { minLength: skills.length }), async (mixed) => {
        expect(list(mixed)).toEqual(list(skills))
      }),
      { numRuns: 30 },
    )
  })
})

describe('skills of a conversation', () => {
  it('are listed without their bodies, which are read on request', async () => {
    const shortlister = createShortlister({ roots, sums: async () => success([]), timeoutMs })
    const listed = await shortlister.shortlist('csv', folder, never)
    expect(JSON.stringify(listed)).not.toContain('# Body')
    expect(await shortlister.body('csv-import', folder)).toMatchObject({ ok: true })
    expect(await shortlister.body('data/parquet', folder)).toMatchObject({ ok: true })
    expect(await shortlister.body('../release', folder)).toMatchObject({ ok: false, code: 'not_found' })
  })

  it('exclude project skills whose folder or file leads out of the project', async () => {
    const project = join(folder, 'linked')
    const own = join(project, '.claude', 'skills')
    const shortlister = createShortlister({
      roots: () => [{ folder: own, of: 'project', kinds: false }, ...roots()],
      sums: async () => success([]),
      timeoutMs,
    })
    await skill('linked/shared/inside', 'name: inside\ndescription: turtles')
    await skill('linked/.claude/skills/swapped', 'name: swapped\ndescription: turtles')
    await mkdir(join(own, 'leak'))
    await symlink(join(folder, 'claude/release/SKILL.md'), join(own, 'leak/SKILL.md'))
    await skill('elsewhere/leak', 'name: far\ndescription: turtles', 'SECRET')
    await symlink(join(folder, 'elsewhere/leak'), join(own, 'far'))
    await symlink('../../shared/inside', join(own, 'inside'))
    const found = (await shortlister.shortlist('turtles', project, never)).skills.map(({ name }) => name)
    expect(found.toSorted()).toEqual(['inside', 'swapped'])
    expect(await shortlister.body('inside', project)).toMatchObject({ ok: true })
    for (const name of ['leak', 'far'])
      expect(await shortlister.body(name, project)).toMatchObject({ ok: false, code: 'not_found' })
    await rm(join(own, 'swapped/SKILL.md'))
    await symlink(join(folder, 'elsewhere/leak/SKILL.md'), join(own, 'swapped/SKILL.md'))
    expect(await shortlister.body('swapped', project)).toMatchObject({ ok: false, code: 'invalid' })
  })

  it('are skipped if they are late or the event store does not answer', async () => {
    const slow = createShortlister({ roots, sums: () => new Promise(() => {}), timeoutMs: 20 })
    expect(await slow.shortlist('csv', folder, never)).toEqual({
      skills: [],
      left_out: 0,
      status: 'unavailable',
    })
    const deaf = createShortlister({ roots, sums: async () => failure('closed', 'closed'), timeoutMs })
    expect((await deaf.shortlist('csv', folder, never)).skills[0]?.name).toBe('csv-import')
    const none = createShortlister({ roots: () => [], sums: async () => success([]), timeoutMs })
    expect(await none.shortlist('csv', folder, never)).toMatchObject({ status: 'absent' })
  })

  it('are cached for ten seconds', async () => {
    let [time, looks] = [0, 0]
    const sums = async () => {
      looks += 1
      return success([])
    }
    const shortlister = createShortlister({ roots, sums, now: () => time })
    for (time of [0, 5_000, 10_000]) await shortlister.all(folder)
    expect(looks).toBe(1)
    time = 10_001
    await shortlister.all(folder)
    expect(looks).toBe(2)
  })

  it('are refreshed in the background afterwards', async () => {
    let time = 0
    const shortlister = createShortlister({ roots, sums: async () => success([]), now: () => time })
    const count = async () => (await shortlister.all(folder)).length
    const before = await count()
    await skill('claude/later', 'name: later')
    await chmod(join(folder, 'claude/later'), 0o755)
    expect(await count()).toBe(before)
    time = 20_000
    await count()
    await expect.poll(count).toBe(before + 1)
  })
})
