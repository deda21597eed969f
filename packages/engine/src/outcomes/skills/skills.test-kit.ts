import { mkdir, mkdtemp, readdir, readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CostQuery, SkillSum } from '@panoptes/engine/store'
import { type Config, type CostRow, config, type NewEvent, success } from '@panoptes/schema'
import { createSkills, type SkillsOptions } from './skills.ts'
import { DAY_MS } from './verdict.ts'

export const NOW = 1_795_000_000_000
const OLD = 60

export interface Uses {
  readonly judged?: number
  readonly successes?: number
  /** Days since the last use. */
  readonly ago?: number
}

/** A home with skill folders and their uses as summed by the accounts. */
export async function openShelf() {
  const folder = await mkdtemp(join(tmpdir(), 'skills-'))
  const home = join(folder, 'home')
  const claude = join(home, '.claude', 'skills')
  const hermes = join(home, '.hermes', 'skills')
  const doneFile = join(folder, 'panoptes', 'skills-review.json')
  const sums: SkillSum[] = []
  const appended: NewEvent[] = []
  const projects: string[] = []

  const put = async (
    root: string,
    name: string,
    text = `---\nname: ${name}\n---\n# ${name}\n`,
    days = OLD,
  ) => {
    const at = join(root, name)
    await mkdir(at, { recursive: true })
    await writeFile(join(at, 'SKILL.md'), text)
    const then = new Date(NOW - days * DAY_MS)
    await utimes(join(at, 'SKILL.md'), then, then)
    await utimes(at, then, then)
    return at
  }
  const used = (skill: string, { judged = 0, successes = judged, ago = 0 }: Uses = {}) =>
    void sums.push({
      skill,
      uses: judged,
      judged,
      successes,
      p50_ms: judged > 0 ? 1_000 : null,
      p95_ms: judged > 0 ? 2_000 : null,
      all_uses: Math.max(1, judged),
      last_used: NOW - ago * DAY_MS,
    })
  const none = async () => success({ total: 0, rows: [] })
  const accounts = {
    agents: none,
    skillUses: none,
    skills: async () => success(sums),
    costs: async ({ by }: CostQuery) =>
      success(by === 'day' ? ([{ name: '2020-01-01' }] as unknown as readonly CostRow[]) : []),
  }
  const open = (more: Partial<SkillsOptions> = {}, rules: Partial<Config['skills']> = {}) =>
    createSkills({
      accounts,
      append: async (events) => {
        appended.push(...events)
        return success(null)
      },
      rules: { ...config.parse({}).skills, ...rules },
      env: { HOME: home },
      doneFile,
      projects: async () => success(projects),
      upToDate: async () => success(null),
      now: () => NOW,
      ...more,
    })
  return {
    folder,
    home,
    claude,
    hermes,
    doneFile,
    projects,
    appended,
    put,
    used,
    open,
    end: () => rm(folder, { recursive: true, force: true }),
  }
}
export type Shelf = Awaited<ReturnType<typeof openShelf>>

/** Everything below a folder: type, content and modification time. */
export async function treeOf(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true })
  const all = names.map(async (one) => {
    const path = join(one.parentPath, one.name)
    if (one.isSymbolicLink()) return `${path} -> ${await readlink(path)}`
    const { mtimeMs, mode } = await stat(path)
    const text = one.isFile() ? await readFile(path, 'utf8') : ''
    // The modification time of a folder changes when something is moved out and back.
    return `${path} ${mode.toString(8)} ${one.isFile() ? mtimeMs : ''} ${JSON.stringify(text)}`
  })
  return (await Promise.all(all)).sort()
}
