import { hash } from 'node:crypto'
import type { ClientSpending, Session, TokenUsage } from '@panoptes/schema'
import { calcPrice, type ModelPrice } from '@pydantic/genai-prices'

/** Dollars per million tokens, as the user writes them in the config. */
export interface OwnPrice {
  readonly input: number
  readonly output: number
  readonly cache_read?: number | undefined
  readonly cache_write?: number | undefined
  /** The price of writing to a one-hour cache; defaults to the price of any cache write. */
  readonly cache_write_1h?: number | undefined
}

export interface Prices {
  /** True if the user set a price for this name in the config. */
  readonly hasOwn: (model: string) => boolean
  /** Returns a fingerprint of the model's price. It changes when the price does. */
  readonly markOf: (model: string) => string
  /** The cost of one request in micro-dollars; null if the price or the tokens are unknown. */
  readonly costOf: (model: string, usage: TokenUsage, ts: number | null) => number | null
  /**
   * The cost of several requests together. Their individual lengths are unknown, so they are priced
   * as short requests.
   */
  readonly costOfSum: (model: string, usage: TokenUsage, ts: number | null) => number | null
  /**
   * The cache savings of one request in micro-dollars: what the cached input would have cost, minus
   * the extra cost of writing to the cache. Negative if the cache cost more than it saved; null if
   * the price is unknown.
   */
  readonly savedOf: (model: string, usage: TokenUsage, ts: number | null) => number | null
  /** The savings of several requests together, priced as in `costOfSum`. */
  readonly savedOfSum: (model: string, usage: TokenUsage, ts: number | null) => number | null
}

const DAY_MS = 86_400_000
const MOST_RATES = 2_000

/** Prices from a maintained catalogue; prices in the config take precedence. */
export function createPrices(own: Readonly<Record<string, OwnPrice>> = {}): Prices {
  // Looking up a model's price of the day is slow, so it is cached; multiplying is not.
  const rates = new Map<string, Rates | null>()
  const marks = new Map<string, string>()
  const changing = new Map<string, boolean>()
  /** True if the model's price depends on the date. */
  const changes = (model: string): boolean => {
    const cached = changing.get(model)
    if (cached !== undefined) return cached
    if (changing.size >= MOST_RATES) changing.clear()
    const found = findOwnPrice(own, model) === undefined && Array.isArray(findListedPrices(model))
    changing.set(model, found)
    return found
  }
  const findRates = (model: string, ts: number): Rates | null => {
    const key = changes(model) ? `${Math.floor(ts / DAY_MS)} ${model}` : model
    const cached = rates.get(key)
    if (cached !== undefined) return cached
    if (rates.size >= MOST_RATES) rates.clear()
    const mine = findOwnPrice(own, model)
    const found = mine === undefined ? findListedRates(model, ts) : toOwnRates(mine)
    rates.set(key, found)
    return found
  }
  return {
    hasOwn: (model) => findOwnPrice(own, model) !== undefined,
    markOf: (model) => {
      const cached = marks.get(model)
      if (cached !== undefined) return cached
      if (marks.size >= MOST_RATES) marks.clear()
      const mark = hashPrice(findOwnPrice(own, model) ?? findListedPrices(model))
      marks.set(model, mark)
      return mark
    },
    costOf: (model, usage, ts) => findRates(model, ts ?? Date.now())?.one(usage) ?? null,
    costOfSum: (model, usage, ts) => findRates(model, ts ?? Date.now())?.sum(usage) ?? null,
    savedOf: (model, usage, ts) => computeCacheSavings(findRates(model, ts ?? Date.now())?.one, usage),
    savedOfSum: (model, usage, ts) => computeCacheSavings(findRates(model, ts ?? Date.now())?.sum, usage),
  }
}

/** Prices a client's reported spending, for calls of which it reports only the tokens. */
export function priceCalls(
  { client_spending: spending, started_at }: Pick<Session, 'client_spending' | 'started_at'>,
  prices: Prices,
): ClientSpending | undefined {
  if (spending?.kind !== 'calls') return spending
  const calls = spending.calls.map((call) => ({
    ...call,
    cost_micro_usd:
      call.cost_micro_usd ??
      (call.model === null ? null : prices.costOfSum(call.model, call.usage, started_at)),
  }))
  return { kind: 'calls', calls }
}

const hashPrice = (price: unknown): string =>
  hash('sha256', JSON.stringify(price ?? null), 'base64url').slice(0, 16)

/** Returns everything the catalogue says about a model's price, for any date. */
function findListedPrices(model: string): unknown {
  const today = new Date()
  for (const { id, providerId } of parseModelNames(model)) {
    const found = calculatePrice(id, providerId, today)
    if (found) return found.model.prices
  }
  return null
}

type Cost = (usage: TokenUsage) => number | null

interface Rates {
  readonly one: Cost
  readonly sum: Cost
}

/**
 * What the same tokens would have cost without a cache, minus their actual cost. The cost of plain
 * input and output is the same either way.
 */
function computeCacheSavings(cost: Cost | undefined, usage: TokenUsage): number | null {
  const [read, written] = [usage.cache_read ?? 0, usage.cache_write ?? 0]
  const cached = { ...usage, input: usage.input ?? 0, output: 0 }
  const without = { ...cached, input: cached.input + read + written, cache_read: 0, cache_write: 0 }
  const [plain, actual] = [cost?.(without) ?? null, cost?.(cached) ?? null]
  return plain === null || actual === null ? null : plain - actual
}

const createUniformRates = (cost: Cost): Rates => ({ one: cost, sum: cost })

/** Looks up the exact name, then the name without a suffix in brackets. */
function findOwnPrice(own: Readonly<Record<string, OwnPrice>>, model: string): OwnPrice | undefined {
  if (Object.hasOwn(own, model)) return own[model]
  const plain = stripBrackets(model)
  return Object.hasOwn(own, plain) ? own[plain] : undefined
}

const toOwnRates = (price: OwnPrice): Rates =>
  createUniformRates(
    createFlatCost({
      input: price.input,
      output: price.output,
      cacheRead: price.cache_read ?? price.input,
      cacheWrite: price.cache_write ?? price.input,
      cacheWrite1h: price.cache_write_1h ?? price.cache_write ?? price.input,
    }),
  )

interface FlatPrice {
  readonly input: number
  readonly output: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly cacheWrite1h: number
}

/** One dollar per million tokens is one micro-dollar per token. */
const createFlatCost =
  (price: FlatPrice): Cost =>
  (usage) => {
    if (usage.input === null || usage.output === null) return null
    const written = usage.cache_write ?? 0
    const hour = hourCacheWrites(usage)
    return Math.round(
      usage.input * price.input +
        usage.output * price.output +
        (usage.cache_read ?? 0) * price.cacheRead +
        (written - hour) * price.cacheWrite +
        hour * price.cacheWrite1h,
    )
  }

/** Tokens written to the one-hour cache, which are part of all cache writes. */
const hourCacheWrites = ({ cache_write, cache_write_1h }: TokenUsage): number =>
  Math.min(cache_write ?? 0, cache_write_1h ?? 0)

function findListedRates(model: string, ts: number): Rates | null {
  const timestamp = new Date(ts)
  for (const { id, providerId } of parseModelNames(model)) {
    const found = findPrice(id, providerId, timestamp)
    if (found === null) continue
    const base = basePrice(found)
    const sum: Cost = base === undefined ? () => null : createFlatCost(base)
    if (base !== undefined && !hasSteps(found)) return createUniformRates(sum)
    return { one: (usage) => calculateStepped(id, providerId, timestamp, usage), sum }
  }
  return null
}

const stripBrackets = (model: string): string => model.replace(/\[[^\]]*\]$/, '')

/**
 * `anthropic/claude-…` names a maker or a marketplace; a suffix in brackets is not part of the
 * name.
 */
function parseModelNames(model: string): readonly { readonly id: string; readonly providerId?: string }[] {
  const plain = stripBrackets(model)
  const at = plain.indexOf('/')
  if (at < 0) return [{ id: plain }]
  return [
    { id: plain.slice(at + 1), providerId: plain.slice(0, at) },
    { id: plain, providerId: 'openrouter' },
  ]
}

const priceOptions = (providerId: string | undefined, timestamp: Date) =>
  providerId === undefined ? { timestamp } : { providerId, timestamp }

const findPrice = (id: string, providerId: string | undefined, timestamp: Date): ModelPrice | null =>
  calculatePrice(id, providerId, timestamp)?.model_price ?? null

function calculatePrice(id: string, providerId: string | undefined, timestamp: Date) {
  try {
    return calcPrice({ input_tokens: 1, output_tokens: 1 }, id, priceOptions(providerId, timestamp))
  } catch {
    return null
  }
}

type Price = ModelPrice[string]

/** True if the price depends on the length of the request. */
const hasSteps = (price: ModelPrice): boolean =>
  PRICED.some((name) => price[name] !== undefined && typeof price[name] !== 'number')

const PRICED = ['input_mtok', 'output_mtok', 'cache_read_mtok', 'cache_write_mtok', 'cache_write_1h_mtok']

const firstStep = (price: Price): number | undefined => (typeof price === 'object' ? price.base : price)

/** Returns the price of a short request. */
function basePrice(price: ModelPrice): FlatPrice | undefined {
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

function calculateStepped(
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
    cache_write_1h_tokens: hourCacheWrites(usage),
  }
  try {
    const found = calcPrice(counted, id, priceOptions(providerId, timestamp))
    return found === null ? null : Math.round(found.total_price * 1_000_000)
  } catch {
    return null
  }
}
