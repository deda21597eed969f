import { stat } from 'node:fs/promises'
import { readRegular } from '@panoptes/engine/home'
import { type FoundSkill, findSkills, type SkillRoot } from '@panoptes/engine/skill-folders'
import type { SkillSum } from '@panoptes/engine/store'
import type { Result, SkillShortlist } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { leadsInside } from '../path-containment.ts'
import { rankSkills } from './rank.ts'

export interface ShortlistOptions {
  /** The folders with skills for somebody who works in this folder. */
  readonly roots: (folder: string) => readonly SkillRoot[]
  /** Returns how skills performed. */
  readonly sums: () => Promise<Result<readonly SkillSum[]>>
  readonly timeoutMs?: number | undefined
  readonly now?: (() => number) | undefined
}

export interface Shortlister {
  readonly shortlist: (message: string, folder: string, signal: AbortSignal) => Promise<SkillShortlist>
  /** Returns the full text of a skill by its name. */
  readonly body: (name: string, folder: string) => Promise<Result<string>>
  readonly all: (folder: string) => Promise<readonly FoundSkill[]>
}

interface FolderSkills {
  readonly at: number
  readonly skills: readonly FoundSkill[]
  readonly sums: readonly SkillSum[]
}

const FRESH_MS = 10_000
const MOST_FOLDERS = 20
const LARGEST = 256 * 1_024

/**
 * Results are cached for a while and then refreshed in the background, so that no message waits for
 * the folders twice.
 */
export function createShortlister(options: ShortlistOptions): Shortlister {
  const { roots, sums, timeoutMs = 400, now = Date.now } = options
  const cache = new Map<string, FolderSkills>()
  const looking = new Map<string, Promise<FolderSkills>>()
  const look = (folder: string): Promise<FolderSkills> => {
    const under = looking.get(folder)
    if (under) return under
    const work = Promise.all([findReadableSkills(roots(folder), folder), sums()])
      .then(([skills, skillSums]) => {
        const found = { at: now(), skills, sums: skillSums.ok ? skillSums.value : [] }
        cache.delete(folder)
        cache.set(folder, found)
        const [oldest] = cache.keys()
        if (cache.size > MOST_FOLDERS && oldest !== undefined) cache.delete(oldest)
        return found
      })
      .finally(() => looking.delete(folder))
    looking.set(folder, work)
    return work
  }
  const found = async (folder: string): Promise<FolderSkills> => {
    const last = cache.get(folder)
    if (last === undefined) return look(folder)
    if (Math.abs(now() - last.at) > FRESH_MS) look(folder).catch(() => {})
    return last
  }
  return {
    all: async (folder) => (await found(folder)).skills,
    shortlist: async (message, folder, signal) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const late = new Promise<null>((give) => {
        limit.addEventListener('abort', () => give(null), { once: true })
      })
      const all = await Promise.race([found(folder).catch(() => null), late])
      if (all === null) return { skills: [], left_out: 0, status: 'unavailable' }
      const past = new Map(all.sums.map(({ skill, judged, successes }) => [skill, { judged, successes }]))
      return rankSkills({ message, skills: all.skills, past })
    },
    body: async (name, folder) => {
      const { skills } = await found(folder)
      const skill =
        skills.find((one) => one.name === name) ?? skills.find(({ names }) => names.includes(name))
      if (skill === undefined) return failure('not_found', `Unknown skill: ${name}.`)
      try {
        const file = await resolveSkillFile(skill, folder)
        if (file === null) return failure('invalid', `${name} is a link that leads out of ${folder}.`)
        const { size } = await stat(file)
        if (size > LARGEST) return failure('invalid', `${name} is larger than ${LARGEST / 1_024} KB.`)
        return success(await readRegular(file))
      } catch {
        return failure('io', `${name} cannot be read.`)
      }
    },
  }
}

/**
 * A project may bring its own skills, but none that link to other files of the user, because they
 * are read without asking.
 */
const resolveSkillFile = ({ of, file }: FoundSkill, folder: string): Promise<string | null> =>
  of === 'project' ? leadsInside(file, folder) : Promise.resolve(file)

async function findReadableSkills(
  roots: readonly SkillRoot[],
  folder: string,
): Promise<readonly FoundSkill[]> {
  const skills = await findSkills(roots)
  const files = await Promise.all(skills.map((skill) => resolveSkillFile(skill, folder).catch(() => null)))
  return skills.filter((_, at) => files[at] !== null)
}
