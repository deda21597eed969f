import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { findSkills, listSkillRoots, type SkillRoot } from './find.ts'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'panoptes-skill-folders-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

function put(place: string, head = ''): string {
  const folder = join(home, place)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), `---\n${head}\n---\nBody\n`)
  return folder
}
const root = (folder: string, more: Partial<SkillRoot> = {}): SkillRoot => ({
  folder: join(home, folder),
  of: 'claude-code',
  kinds: false,
  ...more,
})
const names = async (...roots: SkillRoot[]) => (await findSkills(roots)).map(({ name }) => name).sort()

describe('findSkills', () => {
  it('skips archived and hidden skills, and category folders where categories are not allowed', async () => {
    for (const place of ['a', '_archive/old', '.hidden/x', 'kind/inner', '_archive']) put(`skills/${place}`)
    expect(await names(root('skills'))).toEqual(['a'])
    expect(await names(root('skills', { kinds: true }))).toEqual(['a', 'inner'])
    expect(await names(root('nowhere'))).toEqual([])
  })

  it('lists a skill once however it is reached and prefers the folder to a link', async () => {
    put('skills/a')
    symlinkSync(join(home, 'skills', 'a'), join(home, 'skills', '0-link'))
    symlinkSync(join(home, 'skills'), join(home, 'again'))
    const found = await findSkills([root('skills'), root('again'), root('skills')])
    expect(found).toMatchObject([{ name: 'a', folder: join(home, 'skills', 'a'), kept: null }])
    put('elsewhere/b')
    symlinkSync(join(home, 'elsewhere', 'b'), join(home, 'skills', 'b'))
    expect((await findSkills([root('skills')])).find(({ name }) => name === 'b')?.kept).toMatch(
      /it is a link/,
    )
  })

  it('takes the later change of the folder and its file as the time of change', async () => {
    const folder = put('skills/a', 'name: named\ndescription: What for\nstability: validated')
    const [early, late] = [1_700_000_000, 1_700_009_000]
    for (const [ofFolder, ofFile] of [
      [early, late],
      [late, early],
    ] as const) {
      utimesSync(join(folder, 'SKILL.md'), ofFile, ofFile)
      utimesSync(folder, ofFolder, ofFolder)
      expect(await findSkills([root('skills')])).toMatchObject([
        { name: 'named', names: ['named', 'a'], description: 'What for', changedAt: late * 1_000 },
      ])
    }
  })

  it('archives next to the skill, and for Hermes outside the folder that Hermes reads', async () => {
    put('skills/kind/a')
    const archive = async (of: SkillRoot['of']) =>
      (await findSkills([root('skills', { of, kinds: true })]))[0]?.archive
    expect(await archive('named')).toBe(join(home, 'skills', 'kind', '_archive'))
    expect(await archive('hermes')).toBe(join(home, '_archive'))
  })

  it('searches the folders of Claude Code, Hermes, the configuration and each project once', () => {
    const roots = listSkillRoots({ HOME: '/h' }, ['/p', '/p', 'relative', '/q'], ['~/mine', '/abs'])
    expect(roots.map(({ of, folder }) => `${of} ${folder}`)).toEqual([
      'claude-code /h/.claude/skills',
      'hermes /h/.hermes/skills',
      'named /h/mine',
      'named /abs',
      'project /p/.claude/skills',
      'project /q/.claude/skills',
    ])
    expect(listSkillRoots({ HOME: '/h', CLAUDE_CONFIG_DIR: '/c' }, [], [])[0]?.folder).toBe('/c/skills')
  })
})
