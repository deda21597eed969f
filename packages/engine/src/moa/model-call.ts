import {
  type ChatAsk,
  type ChatReply,
  hasContent,
  type ModelError,
  type Prices,
  type Providers,
} from '@panoptes/engine/models'
import type { MoaSlot, TokenUsage } from '@panoptes/schema'
import { slotLabel } from './presets.ts'

/** The result of one model call, with its times in milliseconds. */
export interface ModelCallResult {
  readonly slot: MoaSlot
  readonly label: string
  readonly startedAt: number
  readonly firstTokenAt: number | null
  readonly endedAt: number
  readonly reply: ChatReply | null
  readonly error: ModelError | null
  readonly usage: TokenUsage | null
  readonly costMicroUsd: number | null
  /** True if the user set the price in the config. */
  readonly hasOwnPrice?: boolean
  /** False if the slot was skipped before anything was sent. */
  readonly wasSent: boolean
}

export interface Caller {
  readonly providers: Providers
  readonly prices: Prices
  readonly now?: (() => number) | undefined
}

/** The longest delay that `setTimeout` accepts. */
export const LONGEST_TIMER_MS = 2_147_483_647

/** Calls a model and waits for its whole answer, up to the timeout. */
export async function callModel(
  { providers, prices, now = Date.now }: Caller,
  slot: MoaSlot,
  ask: ChatAsk,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<ModelCallResult> {
  const startedAt = now()
  let firstTokenAt: number | null = null
  let reply: ChatReply | null = null
  let error: ModelError | null = null
  let isLate = false
  const stop = new AbortController()
  const onAbort = () => stop.abort()
  const onTimeout = () => {
    isLate = true
    stop.abort()
  }
  const clock = setTimeout(onTimeout, Math.min(timeoutMs, LONGEST_TIMER_MS))
  signal.addEventListener('abort', onAbort, { once: true })
  if (signal.aborted) onAbort()
  const provider = providers.get(slot.provider)
  if (!provider.ok) error = createInvalidError(provider.message)
  else
    for await (const part of provider.value.chat(ask, { stream: true, brief: true, signal: stop.signal })) {
      if (part.type === 'chunk') firstTokenAt ??= hasContent(part.chunk) ? now() : null
      else if (part.type === 'end') reply = part.reply
      else if (part.type === 'failed') error = part.error
    }
  clearTimeout(clock)
  signal.removeEventListener('abort', onAbort)
  if (isLate && error?.class === 'aborted' && !signal.aborted)
    error = { ...error, class: 'timeout', message: `It did not answer within ${timeoutMs / 1_000} s.` }
  const usage = reply?.usage ?? error?.usage ?? null
  return {
    slot,
    label: slotLabel(slot),
    startedAt,
    firstTokenAt,
    endedAt: now(),
    reply,
    error,
    usage,
    costMicroUsd: slotCost({ prices, providers }, slot, usage, startedAt),
    hasOwnPrice: ownPriceName(prices, slot) !== undefined,
    wasSent: provider.ok,
  }
}

/**
 * Computes a slot's cost: from the config by `provider/model` or by the model, otherwise from the
 * provider's price. Local models have no price.
 */
export const slotCost = (
  { prices, providers }: Pick<Caller, 'prices' | 'providers'>,
  { provider, model }: Pick<MoaSlot, 'provider' | 'model'>,
  usage: TokenUsage | null,
  ts: number,
): number | null => {
  if (usage === null) return null
  const named = `${provider}/${model}`
  const own = ownPriceName(prices, { provider, model })
  if (own !== undefined) return prices.costOf(own, usage, ts)
  if (providers.isLocal(provider)) return null
  return prices.costOf(named, usage, ts) ?? prices.costOf(model, usage, ts)
}

/** Returns the key under which the config sets a price for this slot. */
export const ownPriceName = (
  prices: Pick<Prices, 'hasOwn'>,
  { provider, model }: Pick<MoaSlot, 'provider' | 'model'>,
): string | undefined => [`${provider}/${model}`, model].find((name) => prices.hasOwn(name))

export const createInvalidError = (message: string): ModelError => ({
  class: 'invalid',
  message,
  status: null,
  partial: '',
  usage: null,
})

export const createSkippedError = (message: string): ModelError => ({
  ...createInvalidError(message),
  class: 'skipped',
})

/** The request parameters of a slot besides the conversation. */
export function slotParameters(slot: MoaSlot, temperature: number | null): Record<string, unknown> {
  return {
    ...(temperature === null ? {} : { temperature }),
    ...(slot.reasoning_effort ? { reasoning_effort: slot.reasoning_effort } : {}),
  }
}
