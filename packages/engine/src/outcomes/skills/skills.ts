import { hostname } from 'node:os'
import { type FoundSkill, findSkills, listSkillRoots } from '@panoptes/engine/skill-folders'
import { wilson } from '@panoptes/engine/statistics'
import type { Accounts, SkillSum } from '@panoptes/engine/store'
import type { LedgerSkill, NewEvent, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Review } from '../outcomes.ts'
import { applyReview } from './apply.ts'
import type { moveFolder } from './move.ts'
import { planReview } from './plan.ts'
import { readDone, skillUseEvent } from './review-log.ts'
import { undoReview } from './undo.ts'
import { DAY_MS, decideVerdict, type SkillRules } from './verdict.ts'

export interface SkillsOptions {
  readonly accounts: Pick<Accounts, 'skills'> & History
  readonly append: (events: readonly NewEvent[]) => Promise<Result<unknown>>
  readonly rules: SkillRules
  readonly env: Readonly<Record<string, string | undefined>>
  /** The file that records past reviews. */
  readonly doneFile: string
  /** The folders of sessions. */
  readonly projects: () => Promise<Result<readonly string[]>>
  /** Reads changes first, so that no skill is moved because its last use was not read yet. */
  readonly upToDate: () => Promise<Result<unknown>>
  readonly now?: () => number
  readonly host?: string
  readonly move?: typeof moveFolder
}

/** The skill-related part of the outcomes. */
export type Skills = Pick<Review, 'skills' | 'reviewSkills' | 'recordSkill'>

/** How long the list of folders is cached while nothing is done with them. */
const FRESH_MS = 10_000

export function createSkills(options: SkillsOptions): Skills {
  const { accounts, rules } = options
  const now = options.now ?? Date.now
  let cached: { readonly at: number; readonly found: Promise<readonly FoundSkill[]> } | undefined
  let last: Promise<unknown> = Promise.resolve()

  const look = async (): Promise<readonly FoundSkill[]> => {
    const projects = await options.projects()
    return findSkills(listSkillRoots(options.env, projects.ok ? projects.value : [], rules.folders))
  }
  const found = (fresh: boolean): Promise<readonly FoundSkill[]> => {
    if (fresh || cached === undefined || Math.abs(now() - cached.at) > FRESH_MS)
      cached = { at: now(), found: look() }
    return cached.found
  }

  const judge = async (fresh: boolean) => {
    const [folders, sums, archived] = await Promise.all([
      found(fresh),
      accounts.skills({ since: now() - rules.window_days * DAY_MS }),
      archivedIn(options.doneFile),
    ])
    if (!sums.ok) return sums
    const sumsByName = new Map(sums.value.map((sum) => [sum.skill, sum]))
    const isUnused = folders.some(({ names }) => names.every((name) => !sumsByName.has(name)))
    const since = isUnused ? await findHistoryStart(accounts) : success(null)
    if (!since.ok) return since
    const byName = Map.groupBy(folders, (folder) => usedName(folder, sumsByName))
    const names = new Set([...sumsByName.keys(), ...byName.keys()])
    const skills = [...names]
      .map((name) =>
        toStoreSkill(name, {
          sum: sumsByName.get(name),
          folders: byName.get(name) ?? [],
          sumsByName,
          since: since.value,
        }),
      )
      .map((skill) => withArchived(skill, archived))
    return success({ skills: skills.sort(byUse), folders: (name: string) => byName.get(name) ?? [] })
  }

  const toStoreSkill = (name: string, { sum, folders, sumsByName, since }: Gathered): LedgerSkill => {
    const rate = sum && sum.judged > 0 ? wilson({ hits: sum.successes, count: sum.judged }) : undefined
    const all = [sum, ...folders.flatMap(({ names }) => names.map((one) => sumsByName.get(one)))]
    const used = all.flatMap((one) => (one?.last_used == null ? [] : [one.last_used]))
    const lastUsed = used.length > 0 ? Math.max(...used) : null
    const changedAt = folders.length > 0 ? Math.max(...folders.map((one) => one.changedAt)) : null
    return {
      skill: name,
      uses: sum?.uses ?? 0,
      judged: sum?.judged ?? 0,
      successes: sum?.successes ?? 0,
      rate: rate?.share ?? null,
      low: rate?.low ?? null,
      high: rate?.high ?? null,
      last_used: lastUsed,
      all_uses: sum?.all_uses ?? 0,
      p50_ms: sum?.p50_ms ?? null,
      p95_ms: sum?.p95_ms ?? null,
      ...decideVerdict({ sum, lastUsed, changedAt, knownSince: since }, rules, now()),
      folders: folders.map(({ folder }) => folder),
    }
  }

  const review: Review['reviewSkills'] = async ({ apply, undo }) => {
    if (apply && undo) return failure('invalid', 'A review is either applied or undone, not both')
    const { doneFile: file } = options
    const moved = options.move ? { move: options.move } : {}
    if (undo) {
      const undone = await undoReview({ file, ...moved })
      cached = undefined
      return undone.ok ? success({ applied: true, changes: [...undone.value] }) : undone
    }
    const read = await options.upToDate()
    if (!read.ok && apply) return read
    const judged = await judge(true)
    if (!judged.ok) return judged
    const planned = planReview(judged.value.skills, judged.value.folders)
    if (!apply) return success({ applied: false, changes: planned.map(({ change }) => change) })
    const done = await applyReview(planned, { file, now: now(), ...moved })
    cached = undefined
    return done.ok ? success({ applied: true, changes: [...done.value] }) : done
  }

  return {
    skills: async () => {
      const judged = await judge(false)
      const { window_days, validated_over_rate, re_extract_under_rate } = rules
      return judged.ok
        ? success({
            window_days,
            rules: { validated_over_rate, re_extract_under_rate },
            skills: judged.value.skills,
          })
        : judged
    },
    // One at a time, because each starts from the result of the previous one.
    reviewSkills: (order) => {
      const next = last.then(() => review(order))
      last = next.catch(() => undefined)
      return next
    },
    recordSkill: async (use) => {
      const event = skillUseEvent(use, { now: now(), host: options.host ?? hostname() })
      if (!event.ok) return event
      const stored = await options.append([event.value])
      if (!stored.ok) return stored
      return success({ ok: true, skill: use.skill, ts: Math.floor(event.value.ts / 1_000) })
    },
  }
}

interface Gathered {
  readonly sum: SkillSum | undefined
  readonly folders: readonly FoundSkill[]
  readonly sumsByName: ReadonlyMap<string, SkillSum>
  readonly since: number | null
}

/** A folder is known by the name under which it was used, otherwise by its own. */
const usedName = ({ name, names }: FoundSkill, known: ReadonlyMap<string, SkillSum>): string =>
  names.find((each) => known.has(each)) ?? name

const byUse = (a: LedgerSkill, b: LedgerSkill): number =>
  b.uses - a.uses || b.all_uses - a.all_uses || (a.skill < b.skill ? -1 : 1)

/** Returns when reviews archived each skill, unless that was undone. */
async function archivedIn(file: string): Promise<ReadonlyMap<string, number>> {
  const done = await readDone(file)
  if (!done.ok) return new Map()
  return new Map(
    done.value.flatMap(({ at, steps }) =>
      steps
        .filter(({ action, state }) => action === 'archive' && state === 'done')
        .map(({ skill }) => [skill, at]),
    ),
  )
}

/** A skill without a folder cannot be moved again. */
function withArchived(skill: LedgerSkill, archived: ReadonlyMap<string, number>): LedgerSkill {
  if (skill.verdict !== 'archive' || skill.folders.length > 0) return skill
  const at = archived.get(skill.skill)
  const archivedText =
    at === undefined
      ? 'It has no folder here to archive.'
      : `Archived on ${new Date(at).toLocaleDateString('sv-SE')}.`
  return { ...skill, reason: `${archivedText} ${skill.reason}` }
}

type History = Pick<Accounts, 'costs' | 'agents' | 'skillUses'>

/**
 * Returns where the history begins: the first day that cost something, otherwise the first agent or
 * skill use.
 */
export async function findHistoryStart(accounts: History): Promise<Result<number | null>> {
  const days = await accounts.costs({ by: 'day' })
  if (!days.ok) return days
  const since = new Date(`${days.value[0]?.name}T00:00:00`).getTime()
  if (!Number.isNaN(since)) return success(since)
  const agent = await last((page) => accounts.agents({ all: true, ...page }))
  if (!agent.ok) return agent
  const use = await last((page) => accounts.skillUses(page))
  if (!use.ok) return use
  const times = [agent.value?.last_at, use.value?.ts].filter((ts) => typeof ts === 'number')
  return success(times.length > 0 ? Math.min(...times) : null)
}

type Page = { readonly limit: number; readonly offset: number }

/** Returns the oldest entry of a list that is sorted newest first. */
async function last<T>(
  read: (page: Page) => Promise<Result<{ readonly total: number; readonly rows: readonly T[] }>>,
): Promise<Result<T | undefined>> {
  const first = await read({ limit: 1, offset: 0 })
  if (!first.ok || first.value.total <= 1) return first.ok ? success(first.value.rows[0]) : first
  const end = await read({ limit: 1, offset: first.value.total - 1 })
  return end.ok ? success(end.value.rows[0]) : end
}
