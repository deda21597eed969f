import type { ChatMessage } from '@panoptes/engine/models'
import type { MoaTurn, TraceRecord, TurnDiff, TurnSlot } from '@panoptes/schema'
import { parted } from '../guidance.ts'
import { isUnpriced } from '../kept-turn.ts'
import { textDiff } from './text-diff.ts'

/** A turn with what was written down of it. */
export interface Written {
  readonly turn: MoaTurn
  readonly records: readonly TraceRecord[]
}

/** A turn against another, as a rule its replay: their last calls, each with the references that it went by. */
export function turnDiff(before: Written, after: Written): TurnDiff {
  const [was, is] = [lastCall(before), lastCall(after)]
  const between = (a: string | null | undefined, b: string | null | undefined) =>
    typeof a === 'string' && typeof b === 'string' ? [...textDiff(a, b)] : null
  return {
    before: before.turn,
    after: after.turn,
    references: aligned(was.references, is.references).map(([a, b]) => {
      const text = between(a?.text, b?.text)
      return {
        label: (b ?? a)?.slot.label ?? '',
        change: a === undefined ? 'added' : b === undefined ? 'removed' : changeOf(a.slot, b.slot, text),
        before: a?.slot ?? null,
        after: b?.slot ?? null,
        text,
      }
    }),
    aggregator: { before: was.aggregator?.label ?? null, after: is.aggregator?.label ?? null },
    error: { before: was.aggregator?.error ?? null, after: is.aggregator?.error ?? null },
    guidance: between(was.guidance, is.guidance),
    answer: between(was.answer, is.answer),
    tokens: { before: tokensOf(was.slots), after: tokensOf(is.slots) },
    cost_micro_usd: { before: costOf(was.slots), after: costOf(is.slots) },
    cost_unknown: { before: unknownOf(was.slots), after: unknownOf(is.slots) },
    duration_ms: { before: durationOf(was), after: durationOf(is) },
  }
}

interface Reference {
  readonly slot: TurnSlot
  readonly text: string | null
}

interface Call {
  readonly references: readonly Reference[]
  readonly aggregator: TurnSlot | undefined
  readonly slots: readonly TurnSlot[]
  readonly guidance: string | null
  readonly answer: string | null
}

function lastCall({ turn, records }: Written): Call {
  const end = turn.slots.findLastIndex(({ role }) => role === 'reference')
  const begin = turn.slots.slice(0, end + 1).findLastIndex(({ role }) => role !== 'reference') + 1
  const slots = turn.slots.slice(begin, end + 1)
  const aggregator = turn.slots.findLast(({ role }) => role === 'aggregator')
  const fanOut = records.findLast(({ references }) => references.length > 0)
  const last = records.findLast((record) => record.aggregator.input_messages !== null)
  const input = (last?.aggregator.input_messages ?? []) as ChatMessage[]
  return {
    // What stands in a trace of one that failed are words of ours.
    references: slots.map((slot, at) => ({
      slot,
      text: slot.error === null ? (fanOut?.references[at]?.output ?? null) : null,
    })),
    aggregator,
    slots: aggregator ? [...slots, aggregator] : slots,
    guidance: last ? (parted(input).guidance ?? '') : null,
    answer: last ? (last.aggregator.output ?? '') : null,
  }
}

/** Those of one name belong together, in their order. */
function aligned(
  before: readonly Reference[],
  after: readonly Reference[],
): readonly (readonly [Reference | undefined, Reference | undefined])[] {
  const left = [...after]
  const pairs = before.map((one): [Reference, Reference | undefined] => {
    const at = left.findIndex(({ slot }) => slot.label === one.slot.label)
    return [one, at < 0 ? undefined : left.splice(at, 1)[0]]
  })
  return [...pairs, ...left.map((one): [undefined, Reference] => [undefined, one])]
}

function changeOf(
  { error: was }: TurnSlot,
  { error: is }: TurnSlot,
  text: readonly { readonly type: string }[] | null,
): TurnDiff['references'][number]['change'] {
  if (was !== null && is !== null) return 'unanswered'
  if (was !== null || is !== null) return 'changed'
  return text === null ? 'unknown' : text.every(({ type }) => type === 'same') ? 'same' : 'changed'
}

function tokensOf(slots: readonly TurnSlot[]): TurnDiff['tokens']['before'] {
  const told = slots.flatMap(({ usage }) => (usage ? [usage] : []))
  if (told.length === 0) return null
  const sum = (key: keyof (typeof told)[number]) => told.reduce((total, usage) => total + usage[key], 0)
  return {
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    cache_read_tokens: sum('cache_read_tokens'),
    cache_write_tokens: sum('cache_write_tokens'),
    reasoning_tokens: sum('reasoning_tokens'),
  }
}

const costOf = (slots: readonly TurnSlot[]): number =>
  slots.reduce((total, { cost_micro_usd }) => total + (cost_micro_usd ?? 0), 0)

const unknownOf = (slots: readonly TurnSlot[]): number => slots.filter(isUnpriced).length

/** The slowest reference, then the acting model. */
function durationOf({ references, aggregator }: Call): number | null {
  if (aggregator === undefined) return null
  const took = ({ started_at, ended_at }: TurnSlot) => (ended_at ?? started_at) - started_at
  return Math.max(0, ...references.map(({ slot }) => took(slot))) + took(aggregator)
}
