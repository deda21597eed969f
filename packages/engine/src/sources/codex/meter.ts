import type { TokenUsage } from '@panoptes/schema'
import { countOf, type Fields, fieldsOf, isFields, textOf } from '../fields.ts'

const COUNTS = [
  'input_tokens',
  'cached_input_tokens',
  'cache_write_input_tokens',
  'output_tokens',
  'reasoning_output_tokens',
] as const

/**
 * What each reply took. Codex tells the sum of a thread, again and again: a reply took the difference to the sum before. A fork goes
 * on counting where the other thread was, so of its first sum only the last reply is its own. Newer versions also tell of each
 * reply by itself; then that counts alone.
 */
export class Meter {
  readonly #inherits: boolean
  #total: Fields | undefined
  /** Whether the sum before is one of its own. */
  #own = false
  readonly #recorded = new Set<string>()
  #exact = false

  /** Whether the first sum has what other threads took. */
  constructor(inherits: boolean) {
    this.#inherits = inherits
  }

  /** A sum that another thread came to. */
  passed(count: Fields): void {
    const { total_token_usage } = fieldsOf(count.info)
    if (isFields(total_token_usage)) this.#total = total_token_usage
  }

  /** What a `token_count` adds. */
  counted(count: Fields): TokenUsage | null {
    const { total_token_usage: total, last_token_usage: last } = fieldsOf(count.info)
    if (this.#exact) return null
    if (!isFields(total)) return isFields(last) ? usageOf(last) : null
    const before = this.#total
    this.#total = total
    const grown = before === undefined ? total : differenceOf(total, before)
    if (grown !== undefined && isNothing(grown)) return null
    // A sub-agent may begin at nothing although it copied sums, and a fork goes on from sums that it may not have copied.
    const sure = grown !== undefined && (this.#own || !this.#inherits)
    this.#own = true
    return usageOf(sure || !isFields(last) ? (grown ?? total) : last)
  }

  /** What a `token_usage_record` adds. */
  recorded(record: Fields): TokenUsage | null {
    this.#exact = true
    const once = `${textOf(record.response_id)} ${JSON.stringify(record.thread_token_usage)}`
    if (this.#recorded.has(once)) return null
    this.#recorded.add(once)
    return usageOf(fieldsOf(record.usage))
  }
}

const isNothing = (counts: Fields): boolean => COUNTS.every((name) => !counts[name])

/** Nothing where a sum went down: then it began anew. */
function differenceOf(total: Fields, before: Fields): Fields | undefined {
  const grown: Record<string, number> = {}
  for (const name of COUNTS) {
    const now = countOf(total[name])
    if (now === null) continue
    const by = now - (countOf(before[name]) ?? 0)
    if (by < 0) return undefined
    grown[name] = by
  }
  return grown
}

/** Codex counts what was read from and written to the cache as input, and thoughts as output. */
function usageOf(counts: Fields): TokenUsage | null {
  const [whole, read, written, output, reasoning] = COUNTS.map((name) => countOf(counts[name]))
  if (isNothing(counts)) return null
  return {
    input: whole === null || whole === undefined ? null : Math.max(0, whole - (read ?? 0) - (written ?? 0)),
    output: output ?? null,
    cache_read: read ?? null,
    cache_write: written ?? null,
    cache_write_1h: null,
    reasoning: reasoning ?? null,
  }
}
