import { dirname } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type { ClientSpending } from '@panoptes/schema'
import { type Fields, toCount, toFields, toText, toTime } from '../fields.ts'
import { jsonLines } from '../json-lines.ts'
import { transcriptPath } from './places.ts'

type Total = Extract<ClientSpending, { kind: 'total' }>
type Models = NonNullable<Total['models']>

/**
 * The value of one client counter. A resumed session continues its counter, and a branch continues its
 * origin's.
 */
interface Counter {
  readonly cost: number
  readonly models: Models
  /** True when the client could not price everything. */
  readonly isPartial: boolean
}

/** A counter that began this much before its session's `/clear` still includes the previous session. */
const CLEARED_MS = 10_000
const MICRO = 1_000_000

/**
 * Computes what the client says a session cost. The client reports it in a counter when it exits, in the
 * result of a run without a terminal (`total_cost_usd`), and when a person asks with `/cost`. Later costs are
 * missing there, so a session that continued has no total.
 */
export class ClientTotal {
  /** Counters by the time they began. */
  readonly #counters = new Map<string, Counter>()
  readonly #copied = new Map<string, Counter>()
  /** The same for result rows (`total_cost_usd`), which do not say when their counter began. */
  readonly #results = new Map<string, Counter>()
  readonly #copiedResults = new Map<string, Counter>()
  #reported: { readonly cost: number; readonly within: number } | undefined
  #reportedAt: number | null = null
  #first: number | null = null
  #last: number | null = null
  #begins: string | undefined
  /** The time up to which the last counter counts. */
  #until: number | null = null
  #isBehind = false
  #isReportedBehind = false

  /** Reads a row of the session's own transcript. */
  saw(row: Fields): void {
    const ts = toTime(row.timestamp)
    if (ts !== null) {
      this.#first ??= ts
      this.#last = Math.max(this.#last ?? ts, ts)
    }
    const words = toText(toFields(row.message).content) ?? toText(row.content)
    if (row.type === 'user') this.#begins ??= words ?? ''
    if (row.type === 'cost-state') this.#counted(row)
    if (row.type === 'result' && addResult(row, this.#results, this.#copiedResults)) {
      this.#until = this.#last
      this.#isBehind = false
    }
    const reported = words === null ? undefined : costIn(words)
    if (reported === undefined) return
    this.#reported = reported
    this.#reportedAt = this.#last
    this.#isReportedBehind = false
  }

  sawCopy(row: Fields): void {
    const counter = row.type === 'cost-state' ? counterIn(row) : undefined
    if (counter !== undefined) this.#copied.set(counterStart(row), counter)
    if (row.type === 'result') addResult(row, this.#copiedResults)
  }

  /** Records a reply of the session's own agent, in row order. */
  replied(): void {
    this.#isBehind = true
    this.#isReportedBehind = true
  }

  /** Records a reply of another agent, whose file is read later. */
  repliedElsewhere(ts: number | null): void {
    if (ts === null || this.#until === null || ts > this.#until) this.#isBehind = true
    if (ts === null || this.#reportedAt === null || ts > this.#reportedAt) this.#isReportedBehind = true
  }

  /** `origin` is the session that this one branched from; null when it must not be named. */
  async total(place: string, origin: string | null | undefined): Promise<Total | undefined> {
    if (this.#counters.size === 0 && this.#results.size > 0) {
      const isWhole = origin === undefined || this.#copiedResults.size > 0
      return isWhole && !this.#isBehind && !this.#isCleared()
        ? sumOf(this.#results, this.#copiedResults)
        : undefined
    }
    const before =
      origin === undefined || this.#copied.size > 0
        ? this.#copied
        : origin === null
          ? undefined
          : await this.#readCounters(transcriptPath(dirname(place), origin))
    if (before !== undefined && this.#counters.size > 0 && !this.#isBehind && !this.#isOfAnother())
      return sumOf(this.#counters, before)
    if (this.#reported === undefined || this.#isReportedBehind || origin !== undefined || this.#isCleared())
      return undefined
    return {
      kind: 'total',
      cost_micro_usd: this.#reported.cost,
      within_micro_usd: this.#reported.within,
      models: null,
    }
  }

  #counted(row: Fields): void {
    const counter = counterIn(row)
    if (counter === undefined) return
    const start = toTime(row.startTime)
    const ended = start === null ? null : start + (toCount(row.totalDuration) ?? 0)
    this.#until = Math.max(this.#last ?? 0, ended ?? 0)
    this.#counters.set(counterStart(row), counter)
    this.#isBehind = false
  }

  #isCleared(): boolean {
    return /<command-name>\/(clear|new|reset)<\/command-name>/.test(this.#begins ?? '')
  }

  /** After `/clear` some clients continue the counter of the previous session. */
  #isOfAnother(): boolean {
    if (!this.#isCleared()) return false
    return [...this.#counters.keys()].some((start) => Number(start) < (this.#first ?? 0) - CLEARED_MS)
  }

  /** Returns the origin's counters at the branch point. Undefined when they were incomplete then. */
  async #readCounters(path: string): Promise<ReadonlyMap<string, Counter> | undefined> {
    const counters = new Map<string, Counter>()
    const began = this.#first ?? Number.POSITIVE_INFINITY
    let isBehind = false
    try {
      for await (const each of jsonLines(path)) {
        if ('problem' in each) continue
        const row = each.value
        if ((toTime(row.timestamp) ?? 0) > began) break
        const counter = row.type === 'cost-state' ? counterIn(row) : undefined
        if (counter !== undefined) counters.set(counterStart(row), counter)
        if (counter !== undefined) isBehind = false
        else if (row.type === 'assistant' && isPaid(row)) isBehind = true
      }
    } catch {
      return undefined
    }
    return isBehind ? undefined : counters
  }
}

/**
 * A result row reports the cost of its process so far, so each replaces the previous one. A lower value
 * belongs to a new process, which began at zero.
 */
function addResult(
  row: Fields,
  results: Map<string, Counter>,
  before: ReadonlyMap<string, Counter> = new Map(),
): boolean {
  const counter = counterIn(row)
  if (counter === undefined) return false
  const place = results.size === 0 ? Math.max(before.size - 1, 0) : Number([...results.keys()].at(-1))
  const last = results.get(String(place)) ?? before.get(String(place))
  results.set(String(last !== undefined && counter.cost < last.cost ? place + 1 : place), counter)
  return true
}

/** Adds up the counters of a session minus their values before it. */
function sumOf(
  counters: ReadonlyMap<string, Counter>,
  before: ReadonlyMap<string, Counter>,
): Total | undefined {
  let cost = 0
  const models: Models = {}
  for (const [start, counter] of counters) {
    const base = before.get(start)
    if (counter.isPartial || base?.isPartial) return undefined
    cost += counter.cost - (base?.cost ?? 0)
    for (const [model, spent] of Object.entries(counter.models)) {
      const [sum, less] = [models[model], base?.models[model]]
      models[model] = {
        cost_micro_usd: (sum?.cost_micro_usd ?? 0) + spent.cost_micro_usd - (less?.cost_micro_usd ?? 0),
        tokens: (sum?.tokens ?? 0) + spent.tokens - (less?.tokens ?? 0),
      }
    }
  }
  if (cost < 0 || Object.values(models).some(({ tokens }) => tokens < 0)) return undefined
  return {
    kind: 'total',
    cost_micro_usd: cost,
    within_micro_usd: 1,
    models: Object.keys(models).length === 0 ? null : models,
  }
}

/** An error that the client shows in place of a reply costs nothing. */
const isPaid = (row: Fields): boolean => toFields(row.message).model !== '<synthetic>'

const counterStart = (row: Fields): string => String(toTime(row.startTime) ?? '')

function counterIn(row: Fields): Counter | undefined {
  if (row.type !== 'cost-state' && row.type !== 'result') return undefined
  const cost = toMicro(row.totalCostUSD ?? row.total_cost_usd)
  if (cost === undefined) return undefined
  const models: Models = {}
  let isPartial = row.hasUnknownModelCost === true
  for (const [model, value] of Object.entries(toFields(row.modelUsage))) {
    const usage = toFields(value)
    const own = toMicro(usage.costUSD)
    isPartial ||= own === undefined
    models[model] = {
      cost_micro_usd: own ?? 0,
      tokens: COUNTS.reduce((sum, name) => sum + (toCount(usage[name]) ?? 0), 0),
    }
  }
  return { cost, models, isPartial }
}

const COUNTS = ['inputTokens', 'outputTokens', 'cacheReadInputTokens', 'cacheCreationInputTokens']

const toMicro = (usd: unknown): number | undefined =>
  typeof usd === 'number' && Number.isFinite(usd) && usd >= 0 ? Math.round(usd * MICRO) : undefined

const MAX_OUTPUT = 500
const COST_OUTPUT = /^<local-command-stdout>\s*Total cost:\s*\$(\d{1,9})(?:\.(\d{1,6}))?(?!\d)/

/** Parses the client's answer to `/cost`. Undefined when it says that some usage has no price. */
function costIn(text: string): { readonly cost: number; readonly within: number } | undefined {
  const [, whole, part = ''] = COST_OUTPUT.exec(stripVTControlCharacters(text.slice(0, MAX_OUTPUT))) ?? []
  if (whole === undefined || text.includes('unknown model')) return undefined
  return {
    cost: Math.round(Number(`${whole}.${part}`) * MICRO),
    within: Math.ceil(MICRO / 10 ** part.length / 2),
  }
}
