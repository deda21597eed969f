import { hostname } from 'node:os'
import { wilson } from '@panoptes/engine/intervals'
import type { Accounts, SkillSum } from '@panoptes/engine/ledger'
import { type FoundSkill, findSkills, skillRoots } from '@panoptes/engine/skill-folders'
import type { LedgerSkill, NewEvent, Result } from '@panoptes/schema'
import { failure, success } from '@panoptes/schema/result'
import type { Review } from '../review.ts'
import { applyReview } from './apply.ts'
import { archivedIn, withArchived } from './archived.ts'
import { type History, knownSince } from './known-since.ts'
import type { moveFolder } from './move.ts'
import { planReview } from './plan.ts'
import { skillUseEvent } from './record.ts'
import { undoReview } from './undo.ts'
import { DAY_MS, type SkillRules, verdictOf } from './verdict.ts'

export interface SkillsOptions {
  readonly accounts: Pick<Accounts, 'skills'> & History
  readonly append: (events: readonly NewEvent[]) => Promise<Result<unknown>>
  readonly rules: SkillRules
  readonly env: Readonly<Record<string, string | undefined>>
  /** Where it is written down what reviews did. */
  readonly doneFile: string
  /** The folders that sessions were in. */
  readonly projects: () => Promise<Result<readonly string[]>>
  /** Reads what changed: nobody's skill is moved because its last use was not read yet. */
  readonly upToDate: () => Promise<Result<unknown>>
  readonly now?: () => number
  readonly host?: string
  readonly move?: typeof moveFolder
}

/** The part of the review that is about skills. */
export type Skills = Pick<Review, 'skills' | 'reviewSkills' | 'recordSkill'>

/** How long it is trusted that the same folders are there, where nothing is done with them. */
const FRESH_MS = 10_000

export function createSkills(options: SkillsOptions): Skills {
  const { accounts, rules } = options
  const now = options.now ?? Date.now
  let kept: { readonly at: number; readonly found: Promise<readonly FoundSkill[]> } | undefined
  let last: Promise<unknown> = Promise.resolve()

  const look = async (): Promise<readonly FoundSkill[]> => {
    const projects = await options.projects()
    return findSkills(skillRoots(options.env, projects.ok ? projects.value : [], rules.folders))
  }
  const found = (fresh: boolean): Promise<readonly FoundSkill[]> => {
    if (fresh || kept === undefined || Math.abs(now() - kept.at) > FRESH_MS)
      kept = { at: now(), found: look() }
    return kept.found
  }

  const judge = async (fresh: boolean) => {
    const [folders, sums, archived] = await Promise.all([
      found(fresh),
      accounts.skills({ since: now() - rules.window_days * DAY_MS }),
      archivedIn(options.doneFile),
    ])
    if (!sums.ok) return sums
    const known = new Map(sums.value.map((sum) => [sum.skill, sum]))
    const isUnused = folders.some(({ names }) => names.every((name) => !known.has(name)))
    const since = isUnused ? await knownSince(accounts) : success(null)
    if (!since.ok) return since
    const byName = Map.groupBy(folders, (folder) => nameOf(folder, known))
    const names = new Set([...known.keys(), ...byName.keys()])
    const skills = [...names]
      .map((name) =>
        skillOf(name, { sum: known.get(name), folders: byName.get(name) ?? [], known, since: since.value }),
      )
      .map((skill) => withArchived(skill, archived))
    return success({ skills: skills.sort(byUse), folders: (name: string) => byName.get(name) ?? [] })
  }

  const skillOf = (name: string, { sum, folders, known, since }: Gathered): LedgerSkill => {
    const rate = sum && sum.judged > 0 ? wilson({ hits: sum.successes, count: sum.judged }) : undefined
    const all = [sum, ...folders.flatMap(({ names }) => names.map((one) => known.get(one)))]
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
      ...verdictOf({ sum, lastUsed, changedAt, knownSince: since }, rules, now()),
      folders: folders.map(({ folder }) => folder),
    }
  }

  const review: Review['reviewSkills'] = async ({ apply, undo }) => {
    if (apply && undo) return failure('invalid', 'A review is either applied or undone, not both')
    const { doneFile: file } = options
    const moved = options.move ? { move: options.move } : {}
    if (undo) {
      const undone = await undoReview({ file, ...moved })
      kept = undefined
      return undone.ok ? success({ applied: true, changes: [...undone.value] }) : undone
    }
    const read = await options.upToDate()
    if (!read.ok && apply) return read
    const judged = await judge(true)
    if (!judged.ok) return judged
    const planned = planReview(judged.value.skills, judged.value.folders)
    if (!apply) return success({ applied: false, changes: planned.map(({ change }) => change) })
    const done = await applyReview(planned, { file, now: now(), ...moved })
    kept = undefined
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
    // One at a time: each begins with what the one before it left.
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
  readonly known: ReadonlyMap<string, SkillSum>
  readonly since: number | null
}

/** A folder goes by the name under which it was used, else by its own. */
const nameOf = ({ name, names }: FoundSkill, known: ReadonlyMap<string, SkillSum>): string =>
  names.find((each) => known.has(each)) ?? name

const byUse = (a: LedgerSkill, b: LedgerSkill): number =>
  b.uses - a.uses || b.all_uses - a.all_uses || (a.skill < b.skill ? -1 : 1)
