import type { ChatMessage, ModelError } from '@panoptes/engine/models'
import type { MoaSlot } from '@panoptes/schema'
import { alternated, mayWantAlternation } from './alternation.ts'
import {
  type Called,
  type Caller,
  callModel,
  costOf,
  LONGEST_TIMER_MS,
  parametersOf,
  skipped,
} from './call.ts'
import { isRecursive, labelOf, type ResolvedPreset } from './presets.ts'
import { trimmed, type ViewMessage } from './view.ts'
import { ADVISORY_ROLE } from './words.ts'

/** One reference: what it was shown and what became of it. */
export interface Advised extends Called {
  readonly input: readonly ChatMessage[]
}

export interface FanOut {
  readonly advised: readonly Advised[]
  /** Whoever asked left before it was over: it must not be used again. */
  readonly aborted: boolean
}

export interface FanOutOptions {
  readonly caller: Caller
  readonly resolved: ResolvedPreset
  readonly view: readonly ViewMessage[]
  /** The references, by label, that want turns to alternate; whoever shows to be one is added. */
  readonly alternating: Set<string>
  readonly signal: AbortSignal
  /** What each is sent instead of the view, in their order: as it was sent before. */
  readonly inputs?: readonly (readonly ChatMessage[])[] | undefined
  /** One of them is through. */
  readonly onDone?: ((advised: Advised, at: number, done: number) => void) | undefined
}

/** So many are asked at once; the others begin as these end. */
const MOST_AT_ONCE = 8
const USUAL_TIMEOUT_S = 900

/** Asks every reference; none that fails ends the others, and the answers keep the order of the preset. */
export async function fanOut(options: FanOutOptions): Promise<FanOut> {
  const { caller, resolved, view, alternating, signal, inputs, onDone } = options
  const { preset, references } = resolved
  const stopping = stoppingOf(signal, preset.deadline)
  const enough = enoughOf(preset.quorum, references.length)
  const affordable = affordableOf(caller, resolved, view)
  const timeoutMs = (preset.reference_timeout ?? USUAL_TIMEOUT_S) * 1_000
  const advised: Advised[] = []
  let next = 0
  let done = 0
  let answered = 0
  const one = async (slot: MoaSlot, at: number): Promise<Advised> => {
    const label = labelOf(slot)
    const viewed = inputs?.[at] ?? inputOf(caller, slot, view)
    const input = alternating.has(label) ? (alternated(viewed) ?? viewed) : viewed
    const barred = isRecursive(slot)
      ? skipped('A preset cannot be a reference.')
      : affordable[at]
        ? stopping.why()
        : skipped('It would have cost more than the preset allows.')
    if (barred) return { ...notAsked(caller, slot, barred), input }
    const rest = parametersOf(slot, preset.reference_temperature)
    const call = async (messages: readonly ChatMessage[], within: number): Promise<Advised> => {
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
    const other = first.error && mayWantAlternation(first.error) ? alternated(input) : undefined
    if (other === undefined) return first
    const second = await call(other, Math.max(1, timeoutMs - (first.endedAt - first.startedAt)))
    // Once it took them one after the other and not otherwise, it is sent no others.
    if (second.error === null) alternating.add(label)
    return { ...second, startedAt: first.startedAt }
  }
  const worker = async () => {
    for (let at = next++; at < references.length; at = next++) {
      const slot = references[at] as MoaSlot
      const became = await one(slot, at)
      advised[at] = became
      done += 1
      if (became.error === null && became.reply?.text.trim()) answered += 1
      if (answered >= enough) stopping.stop(skipped('Enough others had answered.'))
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

type Why = Pick<ModelError, 'class' | 'message'>

/** Stops what still runs: when whoever asked has left, when it takes too long, or when there is enough. The first reason holds. */
function stoppingOf(asker: AbortSignal, deadline: number | null) {
  const controller = new AbortController()
  let because: Why | undefined
  const stop = ({ class: kind, message }: Why) => {
    if (because !== undefined) return
    because = { class: kind, message }
    controller.abort()
  }
  const leave = () => stop({ class: 'aborted', message: 'interrupted by user' })
  const late = () => stop({ class: 'timeout', message: `It had not answered within ${deadline} s.` })
  const clock = deadline === null ? undefined : setTimeout(late, Math.min(deadline * 1_000, LONGEST_TIMER_MS))
  asker.addEventListener('abort', leave, { once: true })
  if (asker.aborted) leave()
  return {
    signal: controller.signal,
    stop,
    /** Nothing while it goes on. */
    why: () => because,
    end: () => {
      clearTimeout(clock)
      asker.removeEventListener('abort', leave)
    },
  }
}

const enoughOf = (quorum: number | null, references: number): number =>
  quorum === null ? Number.POSITIVE_INFINITY : Math.min(quorum, references)

function inputOf({ providers }: Caller, slot: MoaSlot, view: readonly ViewMessage[]): readonly ChatMessage[] {
  const window = providers.windowOf(slot.provider)
  return [
    { role: 'system', content: ADVISORY_ROLE },
    ...trimmed(view, window, ADVISORY_ROLE.length).map(({ role, content }) => ({ role, content })),
  ]
}

function notAsked({ now = Date.now }: Caller, slot: MoaSlot, why: Why): Called {
  const at = now()
  const nothing = { firstTokenAt: null, reply: null, usage: null, costMicroUsd: null, wasAsked: false }
  return {
    slot,
    label: labelOf(slot),
    startedAt: at,
    endedAt: at,
    error: { ...skipped(why.message), ...why },
    ...nothing,
  }
}

const CHARS = 4
/** Tokens that advice has, about. */
const ADVICE = 1_024

/** Which of them, in their order, stay under what the preset may cost; those without a price are not held back. */
function affordableOf(
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
    const cost = costOf({ prices, providers }, slot, usage, now()) ?? 0
    if (cost > left) return false
    left -= cost
    return true
  })
}
