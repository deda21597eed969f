import {
  type ChatAsk,
  type ChatReply,
  type ModelError,
  type Prices,
  type Providers,
  says,
} from '@panoptes/engine/models'
import type { MoaSlot, TokenUsage } from '@panoptes/schema'
import { labelOf } from './presets.ts'

/** What became of one call of a model, with its times in milliseconds. */
export interface Called {
  readonly slot: MoaSlot
  readonly label: string
  readonly startedAt: number
  readonly firstTokenAt: number | null
  readonly endedAt: number
  readonly reply: ChatReply | null
  readonly error: ModelError | null
  readonly usage: TokenUsage | null
  readonly costMicroUsd: number | null
  /** False where it was left out before anything was sent. */
  readonly wasAsked: boolean
}

export interface Caller {
  readonly providers: Providers
  readonly prices: Prices
  readonly now?: (() => number) | undefined
}

/** The longest that a timer can be set for. */
export const LONGEST_TIMER_MS = 2_147_483_647

/** Asks a model and waits for all it says, but for no longer than it is given. */
export async function callModel(
  { providers, prices, now = Date.now }: Caller,
  slot: MoaSlot,
  ask: ChatAsk,
  { signal, timeoutMs }: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<Called> {
  const startedAt = now()
  let firstTokenAt: number | null = null
  let reply: ChatReply | null = null
  let error: ModelError | null = null
  let isLate = false
  const stop = new AbortController()
  const leave = () => stop.abort()
  const late = () => {
    isLate = true
    stop.abort()
  }
  const clock = setTimeout(late, Math.min(timeoutMs, LONGEST_TIMER_MS))
  signal.addEventListener('abort', leave, { once: true })
  if (signal.aborted) leave()
  const provider = providers.get(slot.provider)
  if (!provider.ok) error = refused(provider.message)
  else
    for await (const part of provider.value.chat(ask, { stream: true, brief: true, signal: stop.signal })) {
      if (part.type === 'chunk') firstTokenAt ??= says(part.chunk) ? now() : null
      else if (part.type === 'end') reply = part.reply
      else if (part.type === 'failed') error = part.error
    }
  clearTimeout(clock)
  signal.removeEventListener('abort', leave)
  if (isLate && error?.class === 'aborted' && !signal.aborted)
    error = { ...error, class: 'timeout', message: `It had not answered within ${timeoutMs / 1_000} s.` }
  const usage = reply?.usage ?? error?.usage ?? null
  return {
    slot,
    label: labelOf(slot),
    startedAt,
    firstTokenAt,
    endedAt: now(),
    reply,
    error,
    usage,
    costMicroUsd: costOf({ prices, providers }, slot, usage, startedAt),
    wasAsked: provider.ok,
  }
}

/** At the slot's own price: that of the config by `provider/model` or by the model, else what its provider asks. Models of this computer have none. */
export const costOf = (
  { prices, providers }: Pick<Caller, 'prices' | 'providers'>,
  { provider, model }: Pick<MoaSlot, 'provider' | 'model'>,
  usage: TokenUsage | null,
  ts: number,
): number | null => {
  if (usage === null) return null
  const named = `${provider}/${model}`
  const own = [named, model].find((name) => prices.hasOwn(name))
  if (own !== undefined) return prices.costOf(own, usage, ts)
  if (providers.isLocal(provider)) return null
  return prices.costOf(named, usage, ts) ?? prices.costOf(model, usage, ts)
}

export const refused = (message: string): ModelError => ({
  class: 'invalid',
  message,
  status: null,
  partial: '',
  usage: null,
})

export const skipped = (message: string): ModelError => ({ ...refused(message), class: 'skipped' })

/** What a slot sends beside the conversation. */
export function parametersOf(slot: MoaSlot, temperature: number | null): Record<string, unknown> {
  return {
    ...(temperature === null ? {} : { temperature }),
    ...(slot.reasoning_effort ? { reasoning_effort: slot.reasoning_effort } : {}),
  }
}
