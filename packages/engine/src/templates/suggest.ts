import type { Outcome, Suggestion } from '@panoptes/schema'
import { plural } from '@panoptes/schema/numbers'
import type { TemplateEntry } from './file.ts'
import { isAtWork } from './session-activity.ts'
import type { SessionWork } from './session-history.ts'
import { detectTaskType, kindCounts } from './task-type.ts'
import type { OwnTools } from './tool-kinds.ts'

export interface SuggestInput {
  readonly works: readonly SessionWork[]
  readonly known: readonly TemplateEntry[]
  /** The outcomes of sessions by `source/id`. */
  readonly outcomes: ReadonlyMap<string, Outcome | null>
  readonly own?: OwnTools | undefined
  readonly now: number
  readonly limit: number
}

/** Fewer calls are not instructive. */
const LEAST_CALLS = 5
/** A session with a larger share of failures did not go well. */
const MOST_FAILED = 0.5
/** Two sessions with at least this similarity of tools count as alike. */
const MIN_SIMILARITY = 0.8
/** The number of calls that gives half of the maximum score for calls. */
const HALF_CALLS = 15

/** Returns the sessions worth a template, best first. */
export function suggestFrom({ works, known, outcomes, own, now, limit }: SuggestInput): Suggestion[] {
  const templates = known.map((one) => ({ name: one.template.name, use: templateUse(one) }))
  return works
    .filter((work) => isSuccessful(work) && !isAtWork(work, now) && !known.some(isMadeFrom(work)))
    .flatMap((work) => {
      const outcome = outcomes.get(`${work.source}/${work.id}`) ?? null
      return outcome === 'fail' ? [] : [judgeSession(work, outcome, templates, own)]
    })
    .sort((a, b) => b.score - a.score || (b.last_at ?? 0) - (a.last_at ?? 0) || compareNames(a, b))
    .slice(0, limit)
}

/** True with enough calls to be instructive and few failures. */
export const isSuccessful = ({ tool_calls: calls, errors }: SessionWork): boolean =>
  calls >= LEAST_CALLS && errors / calls <= MOST_FAILED

const compareNames = (a: Suggestion, b: Suggestion): number =>
  `${a.source}/${a.id}` < `${b.source}/${b.id}` ? -1 : 1

const isMadeFrom =
  ({ source, id }: SessionWork) =>
  ({ template, notes }: TemplateEntry): boolean =>
    template.source_session_id === id && (notes?.source ?? source) === source

const templateUse = ({ template }: TemplateEntry): ToolUse =>
  toolUse(template.examples.map(({ tool_name: tool }) => ({ tool, calls: 1 })))

interface NamedTemplate {
  readonly name: string
  readonly use: ToolUse
}

interface Part {
  /** Its share of the total score. */
  readonly weight: number
  /** A number from 0 to 1. */
  readonly value: number
  readonly reason: string | null
}

function judgeSession(
  work: SessionWork,
  outcome: Outcome | null,
  templates: readonly NamedTemplate[],
  own: OwnTools | undefined,
): Suggestion {
  const { source, id, title, project, last_at, tool_calls: calls, errors: failed } = work
  const parts = [
    fewErrors(work),
    rateCode(work, own),
    rateOutcome(outcome),
    rateNovelty(work, templates),
    rateLength(work),
  ]
  const score = parts.reduce((sum, { weight, value }) => sum + weight * value, 0)
  return {
    source,
    id,
    title,
    project,
    task_type: detectTaskType(work.tools, own),
    last_at,
    calls,
    failed,
    score: Math.round(score * 1_000) / 1_000,
    reasons: parts.flatMap(({ reason }) => reason ?? []),
  }
}

/** A quarter of failed calls is as bad as all. */
function fewErrors({ tool_calls: calls, errors }: SessionWork): Part {
  const reason = errors === 0 ? 'No failed calls' : `${errors} of ${plural(calls, 'call')} failed`
  return { weight: 0.3, value: 1 - Math.min(1, (4 * errors) / calls), reason }
}

/** Code gives an answer that is right or wrong; the terminal usually does. */
function rateCode({ tools }: SessionWork, own: OwnTools | undefined): Part {
  const counts = kindCounts(tools, own)
  const total = tools.reduce((sum, { calls }) => sum + calls, 0)
  const share = (some: number) => (total === 0 ? 0 : some / total)
  const formatShare = (some: number, what: string) =>
    `${Math.round(share(some) * 100)} % of its calls ${what}`
  const reason = () => {
    if (share(counts.code) >= 0.2) return formatShare(counts.code, 'run code')
    return share(counts.terminal) >= 0.2 ? formatShare(counts.terminal, 'are in the terminal') : null
  }
  return { weight: 0.25, value: share(counts.code + counts.terminal / 2), reason: reason() }
}

/** Stopped or lost says as little about the work as no marker. */
const OUTCOME_VALUES: Readonly<Record<Outcome | 'none', number>> = {
  functional: 1,
  partial: 0.3,
  scaffolding: 0.2,
  fail: 0,
  stopped: 0.5,
  lost: 0.5,
  none: 0.5,
}

const rateOutcome = (outcome: Outcome | null): Part => ({
  weight: 0.2,
  value: OUTCOME_VALUES[outcome ?? 'none'],
  reason: outcome === null ? null : `Ended ${outcome}`,
})

function rateNovelty({ tools }: SessionWork, templates: readonly NamedTemplate[]): Part {
  const own = toolUse(tools)
  const near = templates
    .map(({ name, use }) => ({ name, alike: computeSimilarity(use, own) }))
    .reduce((most, one) => (one.alike > most.alike ? one : most), { name: '', alike: 0 })
  const isNew = near.alike < MIN_SIMILARITY
  const news = templates.length === 0 ? null : 'Unlike any template you have'
  const value = isNew ? 1 : (1 - near.alike) / (1 - MIN_SIMILARITY) / 2
  return { weight: 0.15, value, reason: isNew ? news : `Like ${near.name}` }
}

const rateLength = ({ tool_calls: calls }: SessionWork): Part => ({
  weight: 0.1,
  value: calls / (calls + HALF_CALLS),
  reason: null,
})

type ToolCounts = readonly { readonly tool: string; readonly calls: number }[]

/** How often each tool was used. */
interface ToolUse {
  readonly counts: ReadonlyMap<string, number>
  readonly length: number
}

/** Agents spell tool names differently, so case is ignored. */
export function toolUse(tools: ToolCounts): ToolUse {
  const counts = new Map<string, number>()
  for (const { tool, calls } of tools) {
    const name = tool.toLowerCase()
    counts.set(name, (counts.get(name) ?? 0) + calls)
  }
  let squares = 0
  for (const calls of counts.values()) squares += calls ** 2
  return { counts, length: Math.sqrt(squares) }
}

/** The cosine similarity: 0 without a common tool, 1 if each tool has the same share in both. */
export function computeSimilarity(a: ToolUse, b: ToolUse): number {
  if (a.length === 0 || b.length === 0) return 0
  let product = 0
  for (const [tool, calls] of a.counts) product += calls * (b.counts.get(tool) ?? 0)
  return Math.min(1, product / a.length / b.length)
}
