import type { ErrorClass, MoaRunPart, MoaTurn } from '@panoptes/schema'
import { shortModel } from '../../ledger/plot/models.ts'
import type { BarRow, TimeSpan } from '../bars/bars.ts'
import { familyOfSlot, modelIn, referenceLetter } from '../format.ts'

interface ReferenceRun {
  readonly label: string
  readonly endedAt: number | null
  readonly error: ErrorClass | null
}

/** A running turn as far as its events have arrived. */
export interface RunState {
  readonly phase: 'running' | 'done' | 'failed' | 'stopped'
  readonly startedAt: number
  readonly endedAt: number | null
  readonly references: readonly ReferenceRun[]
  /** When the references were asked. */
  readonly referencesAt: number | null
  readonly aggregator: string | null
  readonly actsAt: number | null
  readonly firstAt: number | null
  readonly text: string
  readonly turn: MoaTurn | null
  readonly problem: string | null
}

const MOST_TEXT = 200_000

export const startRun = (now: number): RunState => ({
  phase: 'running',
  startedAt: now,
  endedAt: null,
  references: [],
  referencesAt: null,
  aggregator: null,
  actsAt: null,
  firstAt: null,
  text: '',
  turn: null,
  problem: null,
})

/** Applies one event. */
export function applyPart(state: RunState, part: MoaRunPart, now: number): RunState {
  switch (part.type) {
    case 'asking':
      return { ...state, referencesAt: now, references: labelsIn(part.references).map(startReference) }
    case 'progress':
      return { ...state, references: endReference(state.references, part, now) }
    case 'reference':
      return state
    case 'aggregating':
      return { ...state, aggregator: part.aggregator, actsAt: now }
    case 'text':
      return {
        ...state,
        firstAt: state.firstAt ?? now,
        text: (state.text + part.text).slice(0, MOST_TEXT),
      }
    case 'end':
      return { ...state, phase: 'done', endedAt: now, text: part.text.slice(0, MOST_TEXT), turn: part.turn }
    case 'failed':
      return {
        ...state,
        phase: part.class === 'aborted' ? 'stopped' : 'failed',
        endedAt: now,
        turn: part.turn,
        problem: part.message,
      }
  }
}

export const failRun = (state: RunState, problem: string, now: number): RunState => ({
  ...state,
  phase: 'failed',
  endedAt: now,
  problem,
})

export const stopRun = (state: RunState, now: number): RunState => ({
  ...state,
  phase: 'stopped',
  endedAt: now,
})

const startReference = (label: string): ReferenceRun => ({ label, endedAt: null, error: null })

function labelsIn(references: unknown): readonly string[] {
  if (!Array.isArray(references)) return []
  return references.map((one: { readonly label?: unknown } | null) => String(one?.label ?? '?'))
}

type Progress = Extract<MoaRunPart, { type: 'progress' }>

/** Marks a reference as ended: by its place if given, else the first running one with that label. */
function endReference(before: readonly ReferenceRun[], part: Progress, now: number): readonly ReferenceRun[] {
  const place =
    typeof part.at === 'number' && before[part.at] !== undefined
      ? part.at
      : before.findIndex(({ label, endedAt }) => label === part.label && endedAt === null)
  const error = typeof part.error === 'string' ? (part.error as ErrorClass) : null
  return before.map((one, i) => (i === place ? { ...one, endedAt: now, error } : one))
}

/** Builds the bars of a running turn. */
export function buildRunRows(state: RunState, now: number): readonly BarRow[] {
  const { startedAt, references, referencesAt, aggregator, actsAt, firstAt, endedAt } = state
  const end = endedAt ?? now
  const rows = references.map(({ label, endedAt: over, error }, place): BarRow => {
    const to = over ?? end
    return row(`r${place}`, referenceLetter(place), label, {
      from: (referencesAt ?? startedAt) - startedAt,
      first: null,
      to: to - startedAt,
      isRunning: over === null && endedAt === null,
      error: over === null && endedAt !== null ? 'aborted' : error,
    })
  })
  if (aggregator === null || actsAt === null) return rows
  const error = state.phase === 'stopped' ? 'aborted' : state.phase === 'failed' ? 'bad_reply' : null
  const acts = row('aggregator', null, aggregator, {
    from: actsAt - startedAt,
    first: firstAt === null ? null : firstAt - startedAt,
    to: end - startedAt,
    isRunning: endedAt === null,
    error,
  })
  return [...rows, acts]
}

const row = (key: string, letter: string | null, label: string, stretch: TimeSpan): BarRow => ({
  key,
  letter,
  name: shortModel(modelIn(label)),
  label,
  family: letter === null ? 'main' : familyOfSlot({ model: modelIn(label) }),
  stretches: [stretch],
  cost: null,
  unknown: 0,
})
