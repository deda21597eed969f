import { readFile, stat } from 'node:fs/promises'
import type { SkillSum } from '@panoptes/engine/ledger'
import { type FoundSkill, findSkills, type SkillRoot } from '@panoptes/engine/skill-folders'
import type { Result, SkillShortlist } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import { leadsInside } from '../inside.ts'
import { rankSkills } from './rank.ts'

export interface ShortlistOptions {
  /** Where skills are, for somebody who works in a folder. */
  readonly roots: (folder: string) => readonly SkillRoot[]
  /** How skills did. */
  readonly sums: () => Promise<Result<readonly SkillSum[]>>
  readonly timeoutMs?: number | undefined
  readonly now?: (() => number) | undefined
}

export interface Shortlister {
  readonly shortlist: (message: string, folder: string, signal: AbortSignal) => Promise<SkillShortlist>
  /** The whole of a skill, for whoever asks for it by its name. */
  readonly body: (name: string, folder: string) => Promise<Result<string>>
  readonly all: (folder: string) => Promise<readonly FoundSkill[]>
}

interface Known {
  readonly at: number
  readonly skills: readonly FoundSkill[]
  readonly sums: readonly SkillSum[]
}

const FRESH_MS = 10_000
const MOST_FOLDERS = 20
const LARGEST = 256 * 1_024

/** What was found is trusted for a while, and looked up again beside the message that comes after: nobody waits for folders twice. */
export function createShortlister(options: ShortlistOptions): Shortlister {
  const { roots, sums, timeoutMs = 400, now = Date.now } = options
  const known = new Map<string, Known>()
  const looking = new Map<string, Promise<Known>>()
  const look = (folder: string): Promise<Known> => {
    const under = looking.get(folder)
    if (under) return under
    const work = Promise.all([ownOf(roots(folder), folder), sums()])
      .then(([skills, told]) => {
        const found = { at: now(), skills, sums: told.ok ? told.value : [] }
        known.delete(folder)
        known.set(folder, found)
        const [oldest] = known.keys()
        if (known.size > MOST_FOLDERS && oldest !== undefined) known.delete(oldest)
        return found
      })
      .finally(() => looking.delete(folder))
    looking.set(folder, work)
    return work
  }
  const found = async (folder: string): Promise<Known> => {
    const last = known.get(folder)
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
      if (skill === undefined) return failure('not_found', `There is no skill ${name}.`)
      try {
        const file = await fileOf(skill, folder)
        if (file === null) return failure('invalid', `${name} is a link that leads out of ${folder}.`)
        const { size } = await stat(file)
        if (size > LARGEST) return failure('invalid', `${name} is larger than ${LARGEST / 1_024} KB.`)
        return success(await readFile(file, 'utf8'))
      } catch {
        return failure('io', `${name} cannot be read.`)
      }
    },
  }
}

/** A project may bring skills of its own, but none that lead to other files of the person: they are read without asking. */
const fileOf = ({ of, file }: FoundSkill, folder: string): Promise<string | null> =>
  of === 'project' ? leadsInside(file, folder) : Promise.resolve(file)

async function ownOf(roots: readonly SkillRoot[], folder: string): Promise<readonly FoundSkill[]> {
  const skills = await findSkills(roots)
  const files = await Promise.all(skills.map((skill) => fileOf(skill, folder).catch(() => null)))
  return skills.filter((_, at) => files[at] !== null)
}
