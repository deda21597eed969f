import type { Outcome, Suggestion } from '@panoptes/schema'
import { isAtWork } from './at-rest.ts'
import { alikeness, type ToolUse, toolUse } from './likeness.ts'
import type { SessionWork } from './past.ts'
import type { Known } from './stored.ts'
import { kindCounts, taskTypeOf } from './task-type.ts'
import type { OwnTools } from './tool-kinds.ts'

export interface SuggestInput {
  readonly works: readonly SessionWork[]
  readonly known: readonly Known[]
  /** By `source/id`. */
  readonly outcomes: ReadonlyMap<string, Outcome | null>
  readonly own?: OwnTools | undefined
  readonly now: number
  readonly limit: number
}

/** Fewer calls show nothing. */
const LEAST_CALLS = 5
/** With more failures than this it did not go well. */
const MOST_FAILED = 0.5
/** Two that use the same tools as often as this are alike. */
const ALIKE = 0.8
/** Half of what the number of calls can tell is told by so many. */
const HALF_CALLS = 15

/** The sessions that are worth a template, the best first. */
export function suggestFrom({ works, known, outcomes, own, now, limit }: SuggestInput): Suggestion[] {
  const templates = known.map((one) => ({ name: one.template.name, use: useIn(one) }))
  return works
    .filter((work) => wentWell(work) && !isAtWork(work, now) && !known.some(isMadeFrom(work)))
    .flatMap((work) => {
      const outcome = outcomes.get(`${work.source}/${work.id}`) ?? null
      return outcome === 'fail' ? [] : [judged(work, outcome, templates, own)]
    })
    .sort((a, b) => b.score - a.score || (b.last_at ?? 0) - (a.last_at ?? 0) || byName(a, b))
    .slice(0, limit)
}

/** With enough calls to show something. */
export const wentWell = ({ tool_calls: calls, errors }: SessionWork): boolean =>
  calls >= LEAST_CALLS && errors / calls <= MOST_FAILED

const byName = (a: Suggestion, b: Suggestion): number =>
  `${a.source}/${a.id}` < `${b.source}/${b.id}` ? -1 : 1

const isMadeFrom =
  ({ source, id }: SessionWork) =>
  ({ template, notes }: Known): boolean =>
    template.source_session_id === id && (notes?.source ?? source) === source

const useIn = ({ template }: Known): ToolUse =>
  toolUse(template.examples.map(({ tool_name: tool }) => ({ tool, calls: 1 })))

interface Named {
  readonly name: string
  readonly use: ToolUse
}

interface Part {
  /** What of the whole score it decides. */
  readonly weight: number
  /** From 0 to 1. */
  readonly value: number
  readonly reason: string | null
}

function judged(
  work: SessionWork,
  outcome: Outcome | null,
  templates: readonly Named[],
  own: OwnTools | undefined,
): Suggestion {
  const { source, id, title, project, last_at, tool_calls: calls, errors: failed } = work
  const parts = [fewErrors(work), code(work, own), ended(outcome), unlike(work, templates), many(work)]
  const score = parts.reduce((sum, { weight, value }) => sum + weight * value, 0)
  return {
    source,
    id,
    title,
    project,
    task_type: taskTypeOf(work.tools, own),
    last_at,
    calls,
    failed,
    score: Math.round(score * 1_000) / 1_000,
    reasons: parts.flatMap(({ reason }) => reason ?? []),
  }
}

/** A quarter of failed calls is as bad as all. */
function fewErrors({ tool_calls: calls, errors }: SessionWork): Part {
  const reason = errors === 0 ? 'No failed calls' : `${errors} of ${calls} calls failed`
  return { weight: 0.3, value: 1 - Math.min(1, (4 * errors) / calls), reason }
}

/** Code gives an answer that is right or wrong; the terminal does so for the most part. */
function code({ tools }: SessionWork, own: OwnTools | undefined): Part {
  const counts = kindCounts(tools, own)
  const total = tools.reduce((sum, { calls }) => sum + calls, 0)
  const share = (some: number) => (total === 0 ? 0 : some / total)
  const told = (some: number, what: string) => `${Math.round(share(some) * 100)} % of its calls ${what}`
  const reason = () => {
    if (share(counts.code) >= 0.2) return told(counts.code, 'run code')
    return share(counts.terminal) >= 0.2 ? told(counts.terminal, 'are in the terminal') : null
  }
  return { weight: 0.25, value: share(counts.code + counts.terminal / 2), reason: reason() }
}

const ENDED: Readonly<Record<Outcome, number>> = { functional: 1, partial: 0.3, scaffolding: 0.2, fail: 0 }

const ended = (outcome: Outcome | null): Part => ({
  weight: 0.2,
  value: outcome === null ? 0.5 : ENDED[outcome],
  reason: outcome === null ? null : `Ended ${outcome}`,
})

function unlike({ tools }: SessionWork, templates: readonly Named[]): Part {
  const own = toolUse(tools)
  const near = templates
    .map(({ name, use }) => ({ name, alike: alikeness(use, own) }))
    .reduce((most, one) => (one.alike > most.alike ? one : most), { name: '', alike: 0 })
  const isNew = near.alike < ALIKE
  const news = templates.length === 0 ? null : 'Unlike any template you have'
  const value = isNew ? 1 : (1 - near.alike) / (1 - ALIKE) / 2
  return { weight: 0.15, value, reason: isNew ? news : `Like ${near.name}` }
}

const many = ({ tool_calls: calls }: SessionWork): Part => ({
  weight: 0.1,
  value: calls / (calls + HALF_CALLS),
  reason: null,
})
