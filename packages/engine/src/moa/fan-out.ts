import type { ChatMessage, ModelError } from '@panoptes/engine/models'
import type { MoaSlot } from '@panoptes/schema'
import { mayWantAlternation, toAlternatingTurns, trimToWindow, type ViewMessage } from './advisory-view.ts'
import { ADVISORY_ROLE } from './guidance.ts'
import {
  type Caller,
  callModel,
  createSkippedError,
  LONGEST_TIMER_MS,
  type ModelCallResult,
  slotCost,
  slotParameters,
} from './model-call.ts'
import { isRecursive, type ResolvedPreset, slotLabel } from './presets.ts'

/** One reference: what it was sent and what became of it. */
export interface ReferenceResult extends ModelCallResult {
  readonly input: readonly ChatMessage[]
}

export interface FanOut {
  readonly advised: readonly ReferenceResult[]
  /**
   * True if the request was aborted before the reference finished. Its result must not be reused.
   */
  readonly aborted: boolean
}

export interface FanOutOptions {
  readonly caller: Caller
  readonly resolved: ResolvedPreset
  readonly view: readonly ViewMessage[]
  /**
   * Labels of the references that require alternating turns. References that turn out to require
   * them are added.
   */
  readonly alternating: Set<string>
  readonly signal: AbortSignal
  /**
   * The recorded input of each reference, in order, sent instead of the view when a turn is
   * replayed.
   */
  readonly inputs?: readonly (readonly ChatMessage[])[] | undefined
  /** Called when one reference has finished. */
  readonly onDone?: ((advised: ReferenceResult, at: number, done: number) => void) | undefined
}

/** The maximum number of references asked at once; the others start as these finish. */
const MOST_AT_ONCE = 8
const DEFAULT_TIMEOUT_S = 900

/**
 * Asks every reference. A failing reference does not end the others, and the answers keep the order
 * of the preset.
 */
export async function fanOut(options: FanOutOptions): Promise<FanOut> {
  const { caller, resolved, view, alternating, signal, inputs, onDone } = options
  const { preset, references } = resolved
  const stopping = createStopper(signal, preset.deadline)
  const enough = requiredAnswers(preset.quorum, references.length)
  const affordable = findAffordable(caller, resolved, view)
  const timeoutMs = (preset.reference_timeout ?? DEFAULT_TIMEOUT_S) * 1_000
  const advised: ReferenceResult[] = []
  let next = 0
  let done = 0
  let answered = 0
  const askReference = async (slot: MoaSlot, at: number): Promise<ReferenceResult> => {
    const label = slotLabel(slot)
    const viewed = inputs?.[at] ?? buildInput(caller, slot, view)
    const input = alternating.has(label) ? (toAlternatingTurns(viewed) ?? viewed) : viewed
    const barred = isRecursive(slot)
      ? createSkippedError('A preset cannot be a reference.')
      : affordable[at]
        ? stopping.why()
        : createSkippedError('It would have exceeded the cost limit of the preset.')
    if (barred) return { ...createSkippedResult(caller, slot, barred), input }
    const rest = slotParameters(slot, preset.reference_temperature)
    const call = async (messages: readonly ChatMessage[], within: number): Promise<ReferenceResult> => {
      const limits = { signal: stopping.signal, timeoutMs: within }
      const called = await callModel(caller, slot, { model: slot.model, messages, rest }, limits)
      const why = called.error?.class === 'aborted' ? stopping.why() : undefined
      return {
        ...called,
        ...(why && called.error ? { error: { ...called.error, ...why } } : {}),
        input: messages,
      }
    }
    const first = await call(input, timeoutMs)
    const other = first.error && mayWantAlternation(first.error) ? toAlternatingTurns(input) : undefined
    if (other === undefined) return first
    const second = await call(other, Math.max(1, timeoutMs - (first.endedAt - first.startedAt)))
    // The model accepted alternating turns after it rejected the plain ones, so it only gets
    // alternating turns from now on.
    if (second.error === null) alternating.add(label)
    return { ...second, startedAt: first.startedAt }
  }
  const worker = async () => {
    for (let at = next++; at < references.length; at = next++) {
      const slot = references[at] as MoaSlot
      const became = await askReference(slot, at)
      advised[at] = became
      done += 1
      if (became.error === null && became.reply?.text.trim()) answered += 1
      if (answered >= enough) stopping.stop(createSkippedError('Enough other references had answered.'))
      onDone?.(became, at, done)
    }
  }
  try {
    await Promise.all(Array.from({ length: Math.min(MOST_AT_ONCE, references.length) }, worker))
    return { advised, aborted: advised.some(({ error }) => error?.class === 'aborted') }
  } finally {
    stopping.end()
  }
}

type StopReason = Pick<ModelError, 'class' | 'message'>

/**
 * Stops the running references when the request is aborted, the deadline passes or enough have
 * answered. The first reason wins.
 */
function createStopper(asker: AbortSignal, deadline: number | null) {
  const controller = new AbortController()
  let because: StopReason | undefined
  const stop = ({ class: kind, message }: StopReason) => {
    if (because !== undefined) return
    because = { class: kind, message }
    controller.abort()
  }
  const onAbort = () => stop({ class: 'aborted', message: 'interrupted by user' })
  const onTimeout = () => stop({ class: 'timeout', message: `It did not answer within ${deadline} s.` })
  const clock =
    deadline === null ? undefined : setTimeout(onTimeout, Math.min(deadline * 1_000, LONGEST_TIMER_MS))
  asker.addEventListener('abort', onAbort, { once: true })
  if (asker.aborted) onAbort()
  return {
    signal: controller.signal,
    stop,
    /** Returns undefined while nothing has stopped the references. */
    why: () => because,
    end: () => {
      clearTimeout(clock)
      asker.removeEventListener('abort', onAbort)
    },
  }
}

const requiredAnswers = (quorum: number | null, references: number): number =>
  quorum === null ? Number.POSITIVE_INFINITY : Math.min(quorum, references)

function buildInput(
  { providers }: Caller,
  slot: MoaSlot,
  view: readonly ViewMessage[],
): readonly ChatMessage[] {
  const window = providers.contextWindow(slot.provider)
  return [
    { role: 'system', content: ADVISORY_ROLE },
    ...trimToWindow(view, window, ADVISORY_ROLE.length).map(({ role, content }) => ({ role, content })),
  ]
}

function createSkippedResult({ now = Date.now }: Caller, slot: MoaSlot, why: StopReason): ModelCallResult {
  const at = now()
  const nothing = { firstTokenAt: null, reply: null, usage: null, costMicroUsd: null, wasSent: false }
  return {
    slot,
    label: slotLabel(slot),
    startedAt: at,
    endedAt: at,
    error: { ...createSkippedError(why.message), ...why },
    ...nothing,
  }
}

const CHARS = 4
/** Estimated length of one piece of advice, in tokens. */
const ADVICE = 1_024

/**
 * Returns the references that together stay within the preset's budget, in order. Unpriced
 * references are not held back.
 */
function findAffordable(
  { prices, providers, now = Date.now }: Caller,
  { preset, references }: ResolvedPreset,
  view: readonly ViewMessage[],
): readonly boolean[] {
  if (preset.max_cost_usd === null) return references.map(() => true)
  const chars = view.reduce((sum, { content }) => sum + content.length, ADVISORY_ROLE.length)
  const usage = {
    input: Math.ceil(chars / CHARS),
    output: ADVICE,
    cache_read: null,
    cache_write: null,
    cache_write_1h: null,
    reasoning: null,
  }
  let left = preset.max_cost_usd * 1_000_000
  return references.map((slot) => {
    const cost = slotCost({ prices, providers }, slot, usage, now()) ?? 0
    if (cost > left) return false
    left -= cost
    return true
  })
}
