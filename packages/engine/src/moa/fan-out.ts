import type { ChatMessage } from '@panoptes/engine/models'
import type { MoaSlot } from '@panoptes/schema'
import { type Called, type Caller, callModel, costOf, parametersOf, skipped } from './call.ts'
import { isRecursive, labelOf, type ResolvedPreset } from './presets.ts'
import { trimmed, type ViewMessage } from './view.ts'
import { ADVISORY_ROLE } from './words.ts'

/** One reference: what it was shown and what became of it. */
export interface Advised extends Called {
  readonly input: readonly ChatMessage[]
}

export interface FanOut {
  readonly advised: readonly Advised[]
  /** Whoever asked no longer waits: it must not be used again. */
  readonly aborted: boolean
}

export interface FanOutOptions {
  readonly caller: Caller
  readonly resolved: ResolvedPreset
  readonly view: readonly ViewMessage[]
  readonly signal: AbortSignal
  /** What each is sent instead of the view, in their order: as it was sent before. */
  readonly inputs?: readonly (readonly ChatMessage[])[] | undefined
  /** One of them is through. */
  readonly onDone?: ((advised: Advised, at: number, done: number) => void) | undefined
}

/** Asks every reference at once; none that fails ends the others, and the answers keep the order of the preset. */
export async function fanOut(options: FanOutOptions): Promise<FanOut> {
  const { caller, resolved, view, signal, inputs, onDone } = options
  const { preset, references } = resolved
  const stop = new AbortController()
  const enough = enoughOf(preset.quorum, references.length)
  let isLate = false
  const clock =
    preset.deadline === null
      ? undefined
      : setTimeout(() => {
          isLate = true
          stop.abort()
        }, preset.deadline * 1_000)
  const affordable = affordableOf(caller, resolved, view)
  const both = AbortSignal.any([signal, stop.signal])
  let done = 0
  let answered = 0
  const one = async (slot: MoaSlot, at: number): Promise<Advised> => {
    const input = inputs?.[at] ?? inputOf(caller, slot, view)
    const barred = isRecursive(slot)
      ? 'A preset cannot be a reference.'
      : affordable[at]
        ? undefined
        : 'It would have cost more than the preset allows.'
    const called = barred
      ? notAsked(caller, slot, barred)
      : await callModel(
          caller,
          slot,
          { model: slot.model, messages: input, rest: parametersOf(slot, preset.reference_temperature) },
          {
            signal: both,
            timeoutMs: preset.reference_timeout === null ? undefined : preset.reference_timeout * 1_000,
          },
        )
    const why = stop.signal.aborted && !signal.aborted && called.error?.class === 'aborted'
    const error = why
      ? isLate
        ? late(preset.deadline)
        : skipped('Enough others had answered.')
      : called.error
    const advised = { ...called, error, input }
    done += 1
    if (error === null) answered += 1
    if (answered >= enough) stop.abort()
    onDone?.(advised, at, done)
    return advised
  }
  try {
    const advised = await Promise.all(references.map(one))
    return { advised, aborted: signal.aborted }
  } finally {
    clearTimeout(clock)
  }
}

const enoughOf = (quorum: number | null, references: number): number =>
  quorum === null ? Number.POSITIVE_INFINITY : Math.min(quorum, references)

const late = (seconds: number | null) => ({
  ...skipped(`It had not answered within ${seconds} s.`),
  class: 'timeout' as const,
})

function inputOf({ providers }: Caller, slot: MoaSlot, view: readonly ViewMessage[]): readonly ChatMessage[] {
  const window = providers.windowOf(slot.provider)
  return [
    { role: 'system', content: ADVISORY_ROLE },
    ...trimmed(view, window, ADVISORY_ROLE.length).map(({ role, content }) => ({ role, content })),
  ]
}

function notAsked({ now = Date.now }: Caller, slot: MoaSlot, why: string): Called {
  const at = now()
  const nothing = { firstTokenAt: null, reply: null, usage: null, costMicroUsd: null }
  return { slot, label: labelOf(slot), startedAt: at, endedAt: at, error: skipped(why), ...nothing }
}

const CHARS = 4
/** Tokens that advice has, about. */
const ADVICE = 1_024

/** Which of them, in their order, stay under what the preset may cost; those without a price are not held back. */
function affordableOf(
  { prices, now = Date.now }: Caller,
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
    const cost = costOf(prices, slot, usage, now()) ?? 0
    if (cost > left) return false
    left -= cost
    return true
  })
}
