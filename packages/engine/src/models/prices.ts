import { hash } from 'node:crypto'
import type { TokenUsage } from '@panoptes/schema'
import { calcPrice, type ModelPrice } from '@pydantic/genai-prices'

/** Dollars for a million tokens, as a person writes them into the config. */
export interface OwnPrice {
  readonly input: number
  readonly output: number
  readonly cache_read?: number | undefined
  readonly cache_write?: number | undefined
  /** What is written for an hour; without it the same as any other. */
  readonly cache_write_1h?: number | undefined
}

export interface Prices {
  /** Whether a person wrote the price of this name into the config. */
  readonly hasOwn: (model: string) => boolean
  /** Says which price a model has, whatever that is: another mark, another price. */
  readonly markOf: (model: string) => string
  /** Micro-dollars of one request; null where the price or the tokens are not known. */
  readonly costOf: (model: string, usage: TokenUsage, ts: number | null) => number | null
  /** Of many requests together. How long each was is not known: where long ones cost more, they count as short ones. */
  readonly costOfSum: (model: string, usage: TokenUsage, ts: number | null) => number | null
  /**
   * Micro-dollars that the cache spared in one request: what was read from it would have cost so much more as input, less what writing
   * cost more than input. Below zero where the cache cost more than it spared; null where the price is not known.
   */
  readonly savedOf: (model: string, usage: TokenUsage, ts: number | null) => number | null
  /** Of many requests together, as `costOfSum`. */
  readonly savedOfSum: (model: string, usage: TokenUsage, ts: number | null) => number | null
}

const DAY_MS = 86_400_000
const MOST_RATES = 2_000

/** Prices by a maintained catalogue, those of the config first. */
export function createPrices(own: Readonly<Record<string, OwnPrice>> = {}): Prices {
  // To find a model and its price of the day takes long; to multiply does not.
  const rates = new Map<string, Rates | null>()
  const marks = new Map<string, string>()
  const changing = new Map<string, boolean>()
  /** Whether its price is another one at another time. */
  const changes = (model: string): boolean => {
    const known = changing.get(model)
    if (known !== undefined) return known
    if (changing.size >= MOST_RATES) changing.clear()
    const found = ownPrice(own, model) === undefined && Array.isArray(listedPrices(model))
    changing.set(model, found)
    return found
  }
  const ratesOf = (model: string, ts: number): Rates | null => {
    const key = changes(model) ? `${Math.floor(ts / DAY_MS)} ${model}` : model
    const known = rates.get(key)
    if (known !== undefined) return known
    if (rates.size >= MOST_RATES) rates.clear()
    const mine = ownPrice(own, model)
    const found = mine === undefined ? listed(model, ts) : ownRates(mine)
    rates.set(key, found)
    return found
  }
  return {
    hasOwn: (model) => ownPrice(own, model) !== undefined,
    markOf: (model) => {
      const known = marks.get(model)
      if (known !== undefined) return known
      if (marks.size >= MOST_RATES) marks.clear()
      const mark = digest(ownPrice(own, model) ?? listedPrices(model))
      marks.set(model, mark)
      return mark
    },
    costOf: (model, usage, ts) => ratesOf(model, ts ?? Date.now())?.one(usage) ?? null,
    costOfSum: (model, usage, ts) => ratesOf(model, ts ?? Date.now())?.sum(usage) ?? null,
    savedOf: (model, usage, ts) => saved(ratesOf(model, ts ?? Date.now())?.one, usage),
    savedOfSum: (model, usage, ts) => saved(ratesOf(model, ts ?? Date.now())?.sum, usage),
  }
}

const digest = (price: unknown): string =>
  hash('sha256', JSON.stringify(price ?? null), 'base64url').slice(0, 16)

/** All that the catalogue says of a model's price, of any day. */
function listedPrices(model: string): unknown {
  const today = new Date()
  for (const { id, providerId } of namesOf(model)) {
    const found = calculated(id, providerId, today)
    if (found) return found.model.prices
  }
  return null
}

type Cost = (usage: TokenUsage) => number | null

interface Rates {
  readonly one: Cost
  readonly sum: Cost
}

/** What the same tokens had cost without a cache, less what they cost. Input and output themselves cost the same either way. */
function saved(cost: Cost | undefined, usage: TokenUsage): number | null {
  const [read, written] = [usage.cache_read ?? 0, usage.cache_write ?? 0]
  const cached = { ...usage, input: usage.input ?? 0, output: 0 }
  const without = { ...cached, input: cached.input + read + written, cache_read: 0, cache_write: 0 }
  const [plain, actual] = [cost?.(without) ?? null, cost?.(cached) ?? null]
  return plain === null || actual === null ? null : plain - actual
}

const same = (cost: Cost): Rates => ({ one: cost, sum: cost })

/** By the name as it is, or without what stands in brackets behind it. */
function ownPrice(own: Readonly<Record<string, OwnPrice>>, model: string): OwnPrice | undefined {
  if (Object.hasOwn(own, model)) return own[model]
  const plain = withoutBrackets(model)
  return Object.hasOwn(own, plain) ? own[plain] : undefined
}

const ownRates = (price: OwnPrice): Rates =>
  same(
    flat({
      input: price.input,
      output: price.output,
      cacheRead: price.cache_read ?? price.input,
      cacheWrite: price.cache_write ?? price.input,
      cacheWrite1h: price.cache_write_1h ?? price.cache_write ?? price.input,
    }),
  )

interface Flat {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly cacheWrite1h: number
}

/** A dollar for a million tokens is a micro-dollar for one. */
const flat =
  (price: Flat): Cost =>
  (usage) => {
    if (usage.input === null || usage.output === null) return null
    const written = usage.cache_write ?? 0
    const hour = hourOf(usage)
    return Math.round(
      usage.input * price.input +
        usage.output * price.output +
        (usage.cache_read ?? 0) * price.cacheRead +
        (written - hour) * price.cacheWrite +
        hour * price.cacheWrite1h,
    )
  }

/** What of the cache is written for an hour: a part of all that is written. */
const hourOf = ({ cache_write, cache_write_1h }: TokenUsage): number =>
  Math.min(cache_write ?? 0, cache_write_1h ?? 0)

function listed(model: string, ts: number): Rates | null {
  const timestamp = new Date(ts)
  for (const { id, providerId } of namesOf(model)) {
    const found = priced(id, providerId, timestamp)
    if (found === null) continue
    const base = baseOf(found)
    const sum: Cost = base === undefined ? () => null : flat(base)
    if (base !== undefined && !hasSteps(found)) return same(sum)
    return { one: (usage) => stepped(id, providerId, timestamp, usage), sum }
  }
  return null
}

const withoutBrackets = (model: string): string => model.replace(/\[[^\]]*\]$/, '')

/** `anthropic/claude-…` is a name of its maker's, or of a market's; what stands in brackets is no part of it. */
function namesOf(model: string): readonly { readonly id: string; readonly providerId?: string }[] {
  const plain = withoutBrackets(model)
  const at = plain.indexOf('/')
  if (at < 0) return [{ id: plain }]
  return [
    { id: plain.slice(at + 1), providerId: plain.slice(0, at) },
    { id: plain, providerId: 'openrouter' },
  ]
}

const optionsOf = (providerId: string | undefined, timestamp: Date) =>
  providerId === undefined ? { timestamp } : { providerId, timestamp }

const priced = (id: string, providerId: string | undefined, timestamp: Date): ModelPrice | null =>
  calculated(id, providerId, timestamp)?.model_price ?? null

function calculated(id: string, providerId: string | undefined, timestamp: Date) {
  try {
    return calcPrice({ input_tokens: 1, output_tokens: 1 }, id, optionsOf(providerId, timestamp))
  } catch {
    return null
  }
}

type Price = ModelPrice[string]

/** A price that depends on the length of the request is not one number. */
const hasSteps = (price: ModelPrice): boolean =>
  PRICED.some((name) => price[name] !== undefined && typeof price[name] !== 'number')

const PRICED = ['input_mtok', 'output_mtok', 'cache_read_mtok', 'cache_write_mtok', 'cache_write_1h_mtok']

const firstStep = (price: Price): number | undefined => (typeof price === 'object' ? price.base : price)

/** What a short request costs. */
function baseOf(price: ModelPrice): Flat | undefined {
  const input = firstStep(price.input_mtok)
  const output = firstStep(price.output_mtok)
  if (input === undefined || output === undefined) return undefined
  const { cache_read_mtok: read, cache_write_mtok: write, cache_write_1h_mtok: hour } = price
  const cacheWrite = firstStep(write) ?? input
  return {
    input,
    output,
    cacheRead: firstStep(read) ?? input,
    cacheWrite,
    cacheWrite1h: firstStep(hour) ?? cacheWrite,
  }
}

function stepped(
  id: string,
  providerId: string | undefined,
  timestamp: Date,
  usage: TokenUsage,
): number | null {
  const { input, output, cache_read, cache_write } = usage
  if (input === null || output === null) return null
  const counted = {
    input_tokens: input + (cache_read ?? 0) + (cache_write ?? 0),
    output_tokens: output,
    cache_read_tokens: cache_read ?? 0,
    cache_write_tokens: cache_write ?? 0,
    cache_write_1h_tokens: hourOf(usage),
  }
  try {
    const found = calcPrice(counted, id, optionsOf(providerId, timestamp))
    return found === null ? null : Math.round(found.total_price * 1_000_000)
  } catch {
    return null
  }
}
