import { stat } from 'node:fs/promises'
import { readRegular } from '@panoptes/engine/home'
import { type FoundSkill, findSkills, type SkillRoot } from '@panoptes/engine/skill-folders'
import { wilson } from '@panoptes/engine/statistics'
import type { SkillSum } from '@panoptes/engine/store'
import type { Result, ShortlistedSkill, SkillShortlist } from '@panoptes/schema'
import { compareText } from '@panoptes/schema/compare-text'
import { plural } from '@panoptes/schema/numbers'
import { failure, success } from '@panoptes/schema/result'
import { resolveInside } from '../context/files.ts'

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

/** How a skill performed, according to the event store. */
export interface PastUses {
  readonly judged: number
  readonly successes: number
}

interface RankInput {
  readonly message: string
  readonly skills: readonly FoundSkill[]
  readonly past: ReadonlyMap<string, PastUses>
}

const MOST = 8
/** The weight of a word, by where it appears. */
const FIELDS = [
  { field: 'name', weight: 3 },
  { field: 'tags', weight: 2 },
  { field: 'description', weight: 1 },
] as const
const K1 = 1.2
const B = 0.75
const NAMED = 20
const PROJECT = 0.5
const MARKED = 0.3
/** How much a good or bad history changes a score. */
const HISTORY = 1
const LONGEST_DESCRIPTION = 300

interface Entry {
  readonly skill: FoundSkill
  readonly counts: ReadonlyMap<string, number>
  readonly where: ReadonlyMap<string, string>
  readonly length: number
}

/**
 * Results are cached for a while and then refreshed in the background, so that no message waits for
 * the folders twice.
 */
export function createShortlister(options: ShortlistOptions): Shortlister {
  const { roots, sums, timeoutMs = 400, now = Date.now } = options
  const cache = new Map<string, FolderSkills>()
  const looking = new Map<string, Promise<FolderSkills>>()
  const loadSkills = (folder: string): Promise<FolderSkills> => {
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
  const getSkills = async (folder: string): Promise<FolderSkills> => {
    const last = cache.get(folder)
    if (last === undefined) return loadSkills(folder)
    if (Math.abs(now() - last.at) > FRESH_MS) loadSkills(folder).catch(() => {})
    return last
  }
  return {
    all: async (folder) => (await getSkills(folder)).skills,
    shortlist: async (message, folder, signal) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])
      const late = new Promise<null>((give) => {
        limit.addEventListener('abort', () => give(null), { once: true })
      })
      const all = await Promise.race([getSkills(folder).catch(() => null), late])
      if (all === null) return { skills: [], left_out: 0, status: 'unavailable' }
      const past = new Map(all.sums.map(({ skill, judged, successes }) => [skill, { judged, successes }]))
      return rankSkills({ message, skills: all.skills, past })
    },
    body: async (name, folder) => {
      const { skills } = await getSkills(folder)
      const skill =
        skills.find((one) => one.name === name) ?? skills.find(({ names }) => names.includes(name))
      if (skill === undefined) return failure('not_found', `Unknown skill: ${name}.`)
      try {
        const file = await resolveSkillFile(skill, folder)
        if (file === null) return failure('invalid', `${name} is a link to a place outside ${folder}.`)
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
  of === 'project' ? resolveInside(file, folder) : Promise.resolve(file)

async function findReadableSkills(
  roots: readonly SkillRoot[],
  folder: string,
): Promise<readonly FoundSkill[]> {
  const skills = await findSkills(roots)
  const files = await Promise.all(skills.map((skill) => resolveSkillFile(skill, folder).catch(() => null)))
  return skills.filter((_, at) => files[at] !== null)
}

/**
 * Returns the skills relevant to a message, best first, each with its reasons. The result is
 * deterministic.
 */
export function rankSkills({ message, skills, past }: RankInput): SkillShortlist {
  const entries = skills.map(toEntry)
  const wanted = [...new Set(extractWords(message))]
  const lower = ` ${message.slice(0, 20_000).toLowerCase()} `
  const average = entries.reduce((sum, { length }) => sum + length, 0) / Math.max(1, entries.length)
  const rarity = new Map(
    wanted.map((word) => {
      const having = entries.filter(({ counts }) => counts.has(word)).length
      return [word, Math.log(1 + (entries.length - having + 0.5) / (having + 0.5))]
    }),
  )
  const ranked = entries
    .flatMap((entry) => {
      const fits = wanted.filter((word) => entry.counts.has(word))
      const isNamed = entry.skill.names.some((name) => mentionsName(lower, name.toLowerCase()))
      if (fits.length === 0 && !isNamed) return []
      const bm25 = fits.reduce((sum, word) => {
        const count = entry.counts.get(word) ?? 0
        const long = 1 - B + (B * entry.length) / Math.max(1, average)
        return sum + (rarity.get(word) ?? 0) * ((count * (K1 + 1)) / (count + K1 * long))
      }, 0)
      return [scoreSkill(entry, { fits, bm25, isNamed, past: sumPastUses(entry.skill, past) })]
    })
    .sort((a, b) => b.score - a.score || compareText(a.name, b.name) || compareText(a.of, b.of))
  const best = ranked.slice(0, MOST)
  return {
    skills: best,
    left_out: skills.length - best.length,
    status: skills.length === 0 ? 'absent' : 'ok',
  }
}

interface Fit {
  readonly fits: readonly string[]
  readonly bm25: number
  readonly isNamed: boolean
  readonly past: PastUses | undefined
}

function scoreSkill({ skill, where }: Entry, { fits, bm25, isNamed, past }: Fit): ShortlistedSkill {
  const reasons: string[] = []
  let score = bm25
  if (isNamed) {
    score += NAMED
    reasons.push('named in the message')
  }
  for (const { field } of FIELDS) {
    const words = fits.filter((word) => where.get(word) === field)
    if (words.length > 0) reasons.push(`${field}: ${words.slice(0, 6).join(', ')}`)
  }
  if (skill.of === 'project') {
    score += PROJECT
    reasons.push('of this project')
  }
  if (skill.isMarked) {
    score += MARKED
    reasons.push('marked as validated')
  }
  if (past && past.judged > 0) {
    const { low, high } = wilson({ hits: past.successes, count: past.judged })
    score += HISTORY * ((low + high) / 2 - 0.5)
    reasons.push(`worked ${past.successes} of ${plural(past.judged, 'time')}`)
  }
  return {
    name: skill.name,
    description: (skill.description ?? '').slice(0, LONGEST_DESCRIPTION).toWellFormed(),
    of: skill.of,
    score: Math.round(score * 1_000) / 1_000,
    reasons,
  }
}

function toEntry(skill: FoundSkill): Entry {
  const counts = new Map<string, number>()
  const where = new Map<string, string>()
  let length = 0
  const texts = {
    name: skill.names.join(' '),
    tags: skill.tags.join(' '),
    description: skill.description ?? '',
  }
  for (const { field, weight } of FIELDS) {
    const words = field === 'name' ? new Set(extractWords(texts.name)) : extractWords(texts[field])
    for (const word of words) {
      counts.set(word, (counts.get(word) ?? 0) + weight)
      if (!where.has(word)) where.set(word, field)
      length += 1
    }
  }
  return { skill, counts, where, length }
}

function sumPastUses({ names }: FoundSkill, past: RankInput['past']): PastUses | undefined {
  const all = names.flatMap((name) => past.get(name) ?? [])
  if (all.length === 0) return undefined
  return {
    judged: all.reduce((sum, { judged }) => sum + judged, 0),
    successes: all.reduce((sum, { successes }) => sum + successes, 0),
  }
}

/** True if the name appears as a word of its own, also as `/name`. */
function mentionsName(lower: string, name: string): boolean {
  if (name.length < 3) return lower.includes(` /${name} `)
  for (let at = lower.indexOf(name); at >= 0; at = lower.indexOf(name, at + 1)) {
    const around = `${lower[at - 1] ?? ' '}${lower[at + name.length] ?? ' '}`
    if (!/[\p{L}\p{N}_-]/u.test(around) && (name.includes('-') || lower[at - 1] === '/')) return true
  }
  return false
}

const MOST_CHARS = 8_000
const SHORT = 2

/** Words without meaning for the search. */
const COMMON = new Set(
  'a about all also am an and any are as at be been but by can could did do does for from get give had has have he her his how i if in into is it its just like make me more my need no not now of on one or our out please she should so some such tell than that the their them then there these they this to too up us use used using very want was we were what when where which while who why will with would you your'.split(
    ' ',
  ),
)

/**
 * Returns the words of a text for comparison, in lower case without common words. For scripts
 * without spaces, returns pairs of characters.
 */
function extractWords(text: string): readonly string[] {
  const found: string[] = []
  for (const [run] of text
    .slice(0, MOST_CHARS)
    .normalize('NFKC')
    .toLowerCase()
    .matchAll(/[\p{L}\p{N}]+/gu)) {
    if (/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u.test(run)) {
      const signs = [...run]
      if (signs.length === 1) found.push(run)
      for (let at = 0; at + 1 < signs.length; at += 1) found.push(`${signs[at]}${signs[at + 1]}`)
    } else if (run.length >= SHORT && !COMMON.has(run)) found.push(stem(run))
  }
  return found
}

/** Roughly maps plurals and verb forms to one word. */
function stem(word: string): string {
  for (const ending of ['ations', 'ation', 'ings', 'ing', 'ies', 'ed', 'es', 's'])
    if (word.endsWith(ending) && word.length - ending.length >= 4)
      return word.slice(0, -ending.length) + (ending === 'ies' ? 'y' : '')
  return word
}
