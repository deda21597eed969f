import type { ChatMessage } from '@panoptes/engine/models'
import type { DiffPiece, MoaTurn, TraceRecord, TurnDiff, TurnSlot } from '@panoptes/schema'
import { diffArrays } from 'diff'
import { splitGuidance } from '../guidance.ts'
import { isUnpriced } from '../stored-turn.ts'

/** A turn with its trace records. */
export interface TracedTurn {
  readonly turn: MoaTurn
  readonly records: readonly TraceRecord[]
}

/**
 * Compares two turns, usually a turn and its replay: the last call of each, with the references it
 * used.
 */
export function diffTurns(before: TracedTurn, after: TracedTurn): TurnDiff {
  const [was, is] = [lastCall(before), lastCall(after)]
  const diffTexts = (a: string | null | undefined, b: string | null | undefined) =>
    typeof a === 'string' && typeof b === 'string' ? [...diffText(a, b)] : null
  return {
    before: before.turn,
    after: after.turn,
    references: pairReferences(was.references, is.references).map(([a, b]) => {
      const text = diffTexts(a?.text, b?.text)
      return {
        label: (b ?? a)?.slot.label ?? '',
        change:
          a === undefined ? 'added' : b === undefined ? 'removed' : classifyChange(a.slot, b.slot, text),
        before: a?.slot ?? null,
        after: b?.slot ?? null,
        text,
      }
    }),
    aggregator: { before: was.aggregator?.label ?? null, after: is.aggregator?.label ?? null },
    error: { before: was.aggregator?.error ?? null, after: is.aggregator?.error ?? null },
    guidance: diffTexts(was.guidance, is.guidance),
    answer: diffTexts(was.answer, is.answer),
    tokens: { before: sumTokens(was.slots), after: sumTokens(is.slots) },
    cost_micro_usd: { before: sumCost(was.slots), after: sumCost(is.slots) },
    cost_unknown: { before: countUnpriced(was.slots), after: countUnpriced(is.slots) },
    duration_ms: { before: callDuration(was), after: callDuration(is) },
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

function lastCall({ turn, records }: TracedTurn): Call {
  const end = turn.slots.findLastIndex(({ role }) => role === 'reference')
  const begin = turn.slots.slice(0, end + 1).findLastIndex(({ role }) => role !== 'reference') + 1
  const slots = turn.slots.slice(begin, end + 1)
  const aggregator = turn.slots.findLast(({ role }) => role === 'aggregator')
  const fanOut = records.findLast(({ references }) => references.length > 0)
  const last = records.findLast((record) => record.aggregator.input_messages !== null)
  const input = (last?.aggregator.input_messages ?? []) as ChatMessage[]
  return {
    // The trace of a failed slot contains our own failure note, so it is not compared as the
    // model's text.
    references: slots.map((slot, at) => ({
      slot,
      text: slot.error === null ? (fanOut?.references[at]?.output ?? null) : null,
    })),
    aggregator,
    slots: aggregator ? [...slots, aggregator] : slots,
    guidance: last ? (splitGuidance(input).guidance ?? '') : null,
    answer: last ? (last.aggregator.output ?? '') : null,
  }
}

/** Pairs slots of the same name, in their order. */
function pairReferences(
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

function classifyChange(
  { error: was }: TurnSlot,
  { error: is }: TurnSlot,
  text: readonly { readonly type: string }[] | null,
): TurnDiff['references'][number]['change'] {
  if (was !== null && is !== null) return 'unanswered'
  if (was !== null || is !== null) return 'changed'
  return text === null ? 'unknown' : text.every(({ type }) => type === 'same') ? 'same' : 'changed'
}

function sumTokens(slots: readonly TurnSlot[]): TurnDiff['tokens']['before'] {
  const usages = slots.flatMap(({ usage }) => (usage ? [usage] : []))
  if (usages.length === 0) return null
  const sum = (key: keyof (typeof usages)[number]) => usages.reduce((total, usage) => total + usage[key], 0)
  return {
    input_tokens: sum('input_tokens'),
    output_tokens: sum('output_tokens'),
    cache_read_tokens: sum('cache_read_tokens'),
    cache_write_tokens: sum('cache_write_tokens'),
    reasoning_tokens: sum('reasoning_tokens'),
  }
}

const sumCost = (slots: readonly TurnSlot[]): number =>
  slots.reduce((total, { cost_micro_usd }) => total + (cost_micro_usd ?? 0), 0)

const countUnpriced = (slots: readonly TurnSlot[]): number => slots.filter(isUnpriced).length

/** The duration of the slowest reference plus that of the acting model. */
function callDuration({ references, aggregator }: Call): number | null {
  if (aggregator === undefined) return null
  const slotDuration = ({ started_at, ended_at }: TurnSlot) => (ended_at ?? started_at) - started_at
  return Math.max(0, ...references.map(({ slot }) => slotDuration(slot))) + slotDuration(aggregator)
}

const MOST_TOKENS = 20_000
/**
 * The maximum number of edits to search for. Texts that differ more are shown side by side as
 * wholes.
 */
const MOST_CHANGES = 1_000

/**
 * Returns what changed between two texts: by words, by lines if they are long or very different,
 * and otherwise as wholes.
 */
export function diffText(before: string, after: string): readonly DiffPiece[] {
  if (before === after) return before === '' ? [] : [{ type: 'same', text: before }]
  for (const split of [splitWords, splitLines]) {
    const [a, b] = [split(before), split(after)]
    if (a.length + b.length > MOST_TOKENS) continue
    const changes = diffArrays(a, b, { maxEditLength: MOST_CHANGES })
    if (changes)
      return changes.map(({ added, removed, value }) => ({
        type: added ? 'added' : removed ? 'removed' : 'same',
        text: value.join(''),
      }))
  }
  const whole: readonly DiffPiece[] = [
    { type: 'removed', text: before },
    { type: 'added', text: after },
  ]
  return whole.filter(({ text }) => text !== '')
}

const splitWords = (text: string): string[] => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []
const splitLines = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? []
