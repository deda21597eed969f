import type { MoaTurn, TokenUsage, TurnSlot } from '@panoptes/schema'
import type { Called } from './call.ts'
import { withoutKeys } from './keys.ts'
import { withoutPersons } from './privacy.ts'
import type { TurnAsk, TurnCall } from './turn.ts'

export interface About {
  readonly session: string
  readonly from: MoaTurn['from']
  readonly replayOf?: string | null | undefined
  readonly traced: boolean
  readonly isPrivate?: boolean | undefined
  readonly owner?: string | undefined
  /** Keys of providers, which are in nothing that is kept. */
  readonly keys?: readonly string[] | undefined
}

const LONGEST_QUESTION = 300
/** Of a long question only the beginning is looked at. */
const MOST_OF_QUESTION = 16 * LONGEST_QUESTION
const MOST_SLOTS = 2_000

/** A turn with one more of its calls. */
export function grownTurn(before: MoaTurn | undefined, call: TurnCall, ask: TurnAsk, about: About): MoaTurn {
  const slots = [
    ...call.advised.map((one) => slotOf('reference', one, null, about)),
    ...(call.acted ? [slotOf('aggregator', call.acted, call.iteration, about)] : []),
  ]
  const all = capped([...(before?.slots ?? []), ...slots])
  return {
    id: call.turnId,
    session_id: about.session,
    preset: call.preset,
    from: about.from,
    replay_of: about.replayOf ?? null,
    started_at: before?.started_at ?? call.startedAt,
    ended_at: Math.max(before?.ended_at ?? 0, call.endedAt),
    status: call.status,
    question: before?.question ?? (about.isPrivate ? '' : questionOf(ask, about.keys)),
    // Two calls of a turn may run at once, and the later one end first.
    iterations: Math.max(before?.iterations ?? 0, call.iteration),
    overhead_ms: before?.overhead_ms ?? overheadOf(call),
    cost_micro_usd:
      (before?.cost_micro_usd ?? 0) + sum(slots.map(({ cost_micro_usd }) => cost_micro_usd ?? 0)),
    cost_unknown: (before?.cost_unknown ?? 0) + slots.filter(isUnpriced).length,
    traced: (before?.traced ?? true) && about.traced,
    ...(about.owner === undefined ? {} : { owner: about.owner }),
    slots: all,
  }
}

/** The references that were asked first, and the newest calls. */
function capped(slots: readonly TurnSlot[]): TurnSlot[] {
  if (slots.length <= MOST_SLOTS) return [...slots]
  const isCall = ({ role }: TurnSlot) => role === 'aggregator'
  const first = slots.slice(0, Math.min(Math.max(0, slots.findIndex(isCall)), MOST_SLOTS / 2))
  const newest = slots.slice(first.length - MOST_SLOTS)
  // No half of a fan-out: it would seem to belong to the first.
  return [...first, ...newest.slice(Math.max(0, newest.findIndex(isCall)))]
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Who was refused has taken nothing. */
const FREE: ReadonlySet<string> = new Set([...['auth', 'invalid', 'not_found', 'too_long', 'rate_limited']])

/** It was asked, and nobody knows what that cost. */
export const isUnpriced = (slot: TurnSlot): boolean =>
  slot.cost_micro_usd === null && !(slot.error && FREE.has(slot.error.class)) && !isLeftOut(slot)

/** It was not asked at all. What was stopped because others were enough had been. */
export const isLeftOut = ({ error, asked, started_at, ended_at }: TurnSlot): boolean =>
  error?.class === 'skipped' && !(asked ?? started_at !== ended_at)

function slotOf(
  role: TurnSlot['role'],
  called: Called,
  iteration: number | null,
  { keys = [], isPrivate }: Pick<About, 'keys' | 'isPrivate'>,
): TurnSlot {
  const { label, slot, startedAt, firstTokenAt, endedAt, reply, error, usage, costMicroUsd, wasAsked } =
    called
  return {
    role,
    label,
    provider: slot.provider,
    model: slot.model,
    started_at: startedAt,
    first_token_at: firstTokenAt,
    ended_at: endedAt,
    usage: usage && usageOf(usage),
    cost_micro_usd: costMicroUsd,
    // A provider may repeat what it was sent.
    error: error && { class: error.class, message: isPrivate ? '' : withoutKeys(error.message, keys) },
    ...(error?.class === 'skipped' ? { asked: wasAsked } : {}),
    iteration,
    output_chars: reply ? reply.text.length : null,
  }
}

/** In the words of a trace. */
export const usageOf = (usage: TokenUsage) => ({
  input_tokens: usage.input ?? 0,
  output_tokens: usage.output ?? 0,
  cache_read_tokens: usage.cache_read ?? 0,
  cache_write_tokens: usage.cache_write ?? 0,
  reasoning_tokens: usage.reasoning ?? 0,
})

/** What is neither the slowest reference nor the acting model. */
function overheadOf({ advised, acted, startedAt, endedAt }: TurnCall): number | null {
  if (acted === null) return null
  const slowest = Math.max(0, ...advised.map((one) => one.endedAt - one.startedAt))
  return Math.max(0, endedAt - startedAt - slowest - (acted.endedAt - acted.startedAt))
}

const questions = new WeakMap<TurnAsk, string>()

/** What was asked, as far as a glance needs it. It is looked for once: several tell of a turn. */
export function questionOf(ask: TurnAsk, keys: readonly string[] = []): string {
  const known = questions.get(ask)
  if (known !== undefined) return known
  const asked = ask.messages.findLast(({ role }) => role === 'user')?.content
  const text =
    typeof asked === 'string'
      ? asked
      : Array.isArray(asked)
        ? asked.map((part) => part?.text ?? '').join(' ')
        : ''
  const beginning = withoutKeys(text.slice(0, MOST_OF_QUESTION), keys)
  const question = withoutPersons(beginning).slice(0, LONGEST_QUESTION)
  questions.set(ask, question)
  return question
}
