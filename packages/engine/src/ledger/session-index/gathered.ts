import type { Spent } from '@panoptes/schema'
import type { IndexedMessage } from './port.ts'

const PARTS = 20

/** What the messages of a session amount to. */
export class Gathered {
  messages = 0
  tool_calls = 0
  errors = 0
  readonly tools = new Map<string, number>()
  readonly spent: Spent = {
    input: 0,
    output: 0,
    cache_read: 0,
    cache_write: 0,
    reasoning: 0,
    cost_micro_usd: 0,
    usage_unknown: 0,
    cost_unknown: 0,
  }
  readonly #times: number[] = []

  add(message: IndexedMessage): void {
    this.messages += 1
    this.errors += message.errors
    if (message.ts !== null) this.#times.push(message.ts)
    for (const tool of message.tools) this.tools.set(tool, (this.tools.get(tool) ?? 0) + 1)
    this.tool_calls += message.tools.length
    if (message.role === 'assistant') this.#spend(message)
  }

  /** How many messages in each of twenty parts of the session's time. */
  activity(): readonly number[] {
    const first = this.#times.reduce((least, ts) => Math.min(least, ts), Number.POSITIVE_INFINITY)
    const last = this.#times.reduce((most, ts) => Math.max(most, ts), 0)
    const parts = new Array<number>(PARTS).fill(0)
    for (const ts of this.#times) {
      const at = Math.min(PARTS - 1, Math.floor(((ts - first) / Math.max(1, last - first)) * PARTS))
      parts[at] = (parts[at] ?? 0) + 1
    }
    return parts
  }

  #spend({ usage, cost_micro_usd: cost, model }: IndexedMessage): void {
    if (usage === null) {
      if (model !== null) this.spent.usage_unknown += 1
      return
    }
    this.spent.input += usage.input ?? 0
    this.spent.output += usage.output ?? 0
    this.spent.cache_read += usage.cache_read ?? 0
    this.spent.cache_write += usage.cache_write ?? 0
    this.spent.reasoning += usage.reasoning ?? 0
    if (cost === null) this.spent.cost_unknown += 1
    else this.spent.cost_micro_usd += cost
  }
}
