import type { TaskType } from '@panoptes/schema'
import { canGive } from './inject/index.ts'
import type { SessionWork } from './past.ts'
import type { Known } from './stored.ts'
import type { OwnTools } from './tool-kinds.ts'
import { kindsOfWork } from './work-kinds.ts'

export interface ChoiceInput {
  /** The first message of the person. */
  readonly prompt?: string | undefined
  readonly project?: string | undefined
  /** Recent sessions, the newest first. */
  readonly works: readonly SessionWork[]
  readonly known: readonly Known[]
  readonly own?: OwnTools | undefined
}

export interface Choice {
  readonly chosen: Known | undefined
  readonly type: TaskType | undefined
  /** Why this one, or why none. */
  readonly reasons: readonly string[]
}

/** What less than this part of what speaks for the likeliest kind speaks for is another kind of work. */
const NEAR = 0.5

/** The least used template of a type, then the oldest. One with nothing to give is never chosen. */
export function leastUsed(known: readonly Known[], type: TaskType): Known | undefined {
  return known.filter((one) => one.template.task_type === type && canGive(one.template)).sort(byUse)[0]
}

/** What fits the work: the kind that the first message and recent sessions speak of, the same project before others. */
export function chooseFor(input: ChoiceInput): Choice {
  const { known, project } = input
  const usable = known.filter(({ template }) => canGive(template))
  if (usable.length === 0) return none(['There is no template with examples yet.'])
  const kinds = kindsOfWork(input, usable)
  const [likeliest] = kinds
  if (likeliest === undefined) {
    return none(['Neither the first message nor recent sessions tell what kind of work this is.'])
  }
  const passed: string[] = []
  for (const { type, reasons, points } of kinds) {
    if (points < likeliest.points * NEAR) break
    const of = usable.filter(({ template }) => template.task_type === type)
    const near = project === undefined ? [] : of.filter(({ notes }) => notes?.project === project)
    const chosen = leastUsed(near.length > 0 ? near : of, type)
    if (chosen) {
      return {
        chosen,
        type,
        reasons: [...passed, ...reasons, whyThisOne(type, of.length, near.length, project)],
      }
    }
    passed.push(...reasons, `There is no template for ${type} work.`)
  }
  return { chosen: undefined, type: likeliest.type, reasons: passed }
}

const none = (reasons: readonly string[]): Choice => ({ chosen: undefined, type: undefined, reasons })

function whyThisOne(type: TaskType, all: number, near: number, project: string | undefined): string {
  const many = near > 0 ? near : all
  const from = near > 0 ? ` made from sessions of ${project}` : ''
  return many === 1
    ? `It is the only template for ${type} work${from}.`
    : `It is the least used of ${many} templates for ${type} work${from}.`
}

function byUse({ template: a, file }: Known, { template: b, file: other }: Known): number {
  if (a.usage_count !== b.usage_count) return a.usage_count - b.usage_count
  if (a.created_at !== b.created_at) return a.created_at - b.created_at
  if (a.name !== b.name) return a.name < b.name ? -1 : 1
  return file < other ? -1 : 1
}
