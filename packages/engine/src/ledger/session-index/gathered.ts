import type { Spent } from '@panoptes/schema'
import { nothingSpent } from '@panoptes/schema/spent'
import type { IndexedMessage } from './port.ts'
import { spend } from './spent.ts'

const PARTS = 20

/** What the messages of a session amount to. */
export class Gathered {
  messages = 0
  tool_calls = 0
  errors = 0
  readonly tools = new Map<string, number>()
  /** Whose prices the sums hang on. */
  readonly models = new Set<string>()
  readonly spent: Spent = nothingSpent()
  /** Of each agent. */
  readonly agents = new Map<string, { messages: number; readonly spent: Spent }>()
  readonly #times: number[] = []

  add(message: IndexedMessage): void {
    this.messages += 1
    this.errors += message.errors
    if (message.ts !== null) this.#times.push(message.ts)
    for (const tool of message.tools) this.tools.set(tool, (this.tools.get(tool) ?? 0) + 1)
    this.tool_calls += message.tools.length
    const agent = this.agents.get(message.agent_id) ?? { messages: 0, spent: nothingSpent() }
    this.agents.set(message.agent_id, agent)
    agent.messages += 1
    if (message.role !== 'assistant') return
    if (message.model !== null && message.usage !== null) this.models.add(message.model)
    spend(this.spent, message)
    spend(agent.spent, message)
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
}
