import type { MoaTurn, TokenUsage, TurnSlot } from '@panoptes/schema'
import { sum } from '@panoptes/schema/numbers'
import type { ModelCallResult } from './model-call.ts'
import { maskKeys, maskPersonalData } from './privacy.ts'
import type { TurnAsk, TurnCall } from './turn.ts'

export interface About {
  readonly session: string
  readonly from: MoaTurn['from']
  readonly replayOf?: string | null | undefined
  readonly traced: boolean
  readonly isPrivate?: boolean | undefined
  readonly owner?: string | undefined
  /** Provider keys, which must never be stored. */
  readonly keys?: readonly string[] | undefined
}

const LONGEST_QUESTION = 300
/** Only the beginning of a long question is used. */
const MOST_OF_QUESTION = 16 * LONGEST_QUESTION
const MOST_SLOTS = 2_000

/** Returns the turn with one more call added. */
export function addCall(before: MoaTurn | undefined, call: TurnCall, ask: TurnAsk, about: About): MoaTurn {
  const slots = [
    ...call.advised.map((one) => toTurnSlot('reference', one, null, about)),
    ...(call.acted ? [toTurnSlot('aggregator', call.acted, call.iteration, about)] : []),
  ]
  const all = capSlots([...(before?.slots ?? []), ...slots])
  return {
    id: call.turnId,
    session_id: about.session,
    preset: call.preset,
    from: about.from,
    replay_of: about.replayOf ?? null,
    started_at: before?.started_at ?? call.startedAt,
    ended_at: Math.max(before?.ended_at ?? 0, call.endedAt),
    status: call.status,
    question: before?.question ?? (about.isPrivate ? '' : extractQuestion(ask, about.keys)),
    // Two calls of a turn may run at once, and the later one may end first.
    iterations: Math.max(before?.iterations ?? 0, call.iteration),
    overhead_ms: before?.overhead_ms ?? overheadMs(call),
    cost_micro_usd:
      (before?.cost_micro_usd ?? 0) + sum(slots.map(({ cost_micro_usd }) => cost_micro_usd ?? 0)),
    cost_unknown: (before?.cost_unknown ?? 0) + slots.filter(isUnpriced).length,
    traced: (before?.traced ?? true) && about.traced,
    ...(about.owner === undefined ? {} : { owner: about.owner }),
    slots: all,
  }
}

/** Keeps the references that were asked first and the newest calls. */
function capSlots(slots: readonly TurnSlot[]): TurnSlot[] {
  if (slots.length <= MOST_SLOTS) return [...slots]
  const isCall = ({ role }: TurnSlot) => role === 'aggregator'
  const first = slots.slice(0, Math.min(Math.max(0, slots.findIndex(isCall)), MOST_SLOTS / 2))
  const newest = slots.slice(first.length - MOST_SLOTS)
  // Half a fan-out is dropped, because it would look like part of the first one.
  return [...first, ...newest.slice(Math.max(0, newest.findIndex(isCall)))]
}

/** Errors after which a call costs nothing, because the provider refused it. */
const FREE: ReadonlySet<string> = new Set([...['auth', 'invalid', 'not_found', 'too_long', 'rate_limited']])

/** True if the slot was asked but its cost is unknown. */
export const isUnpriced = (slot: TurnSlot): boolean =>
  slot.cost_micro_usd === null && !(slot.error && FREE.has(slot.error.class)) && !isLeftOut(slot)

/**
 * True if the slot was never asked. A slot that was stopped because enough others answered has been
 * asked.
 */
export const isLeftOut = ({ error, asked, started_at, ended_at }: TurnSlot): boolean =>
  error?.class === 'skipped' && !(asked ?? started_at !== ended_at)

function toTurnSlot(
  role: TurnSlot['role'],
  called: ModelCallResult,
  iteration: number | null,
  { keys = [], isPrivate }: Pick<About, 'keys' | 'isPrivate'>,
): TurnSlot {
  const { label, slot, startedAt, firstTokenAt, endedAt, reply, error, usage, costMicroUsd, wasSent } = called
  return {
    role,
    label,
    provider: slot.provider,
    model: slot.model,
    started_at: startedAt,
    first_token_at: firstTokenAt,
    ended_at: endedAt,
    usage: usage && toTraceUsage(usage),
    cost_micro_usd: costMicroUsd,
    // A provider's error message may repeat the prompt.
    error: error && { class: error.class, message: isPrivate ? '' : maskKeys(error.message, keys) },
    ...(error?.class === 'skipped' ? { asked: wasSent } : {}),
    iteration,
    output_chars: reply ? reply.text.length : null,
  }
}

/** Token usage with the field names of a trace. */
export const toTraceUsage = (usage: TokenUsage) => ({
  input_tokens: usage.input ?? 0,
  output_tokens: usage.output ?? 0,
  cache_read_tokens: usage.cache_read ?? 0,
  cache_write_tokens: usage.cache_write ?? 0,
  reasoning_tokens: usage.reasoning ?? 0,
})

/** The time that was spent on neither the slowest reference nor the acting model. */
function overheadMs({ advised, acted, startedAt, endedAt }: TurnCall): number | null {
  if (acted === null) return null
  const slowest = Math.max(0, ...advised.map((one) => one.endedAt - one.startedAt))
  return Math.max(0, endedAt - startedAt - slowest - (acted.endedAt - acted.startedAt))
}

const questions = new WeakMap<TurnAsk, string>()

/**
 * Returns the beginning of the question for overviews. It is computed once, because several
 * listeners use it.
 */
export function extractQuestion(ask: TurnAsk, keys: readonly string[] = []): string {
  const cached = questions.get(ask)
  if (cached !== undefined) return cached
  const content = ask.messages.findLast(({ role }) => role === 'user')?.content
  const text =
    typeof content === 'string'
      ? content
      : Array.isArray(content)
        ? content.map((part) => part?.text ?? '').join(' ')
        : ''
  const beginning = maskKeys(text.slice(0, MOST_OF_QUESTION), keys)
  const question = maskPersonalData(beginning).slice(0, LONGEST_QUESTION)
  questions.set(ask, question)
  return question
}
