import type { Spent } from '@panoptes/schema'
import { createZeroSpent } from '@panoptes/schema/spent'
import { ByModel } from './by-model.ts'
import type { IndexedMessage } from './port.ts'
import { spend } from './usage-sums.ts'

const PARTS = 20

/** Sums up the messages of a session. */
export class Gathered {
  messages = 0
  tool_calls = 0
  errors = 0
  readonly tools = new Map<string, { calls: number; errors: number }>()
  readonly models = new ByModel()
  readonly spent: Spent = createZeroSpent()
  /** The totals of each agent. */
  readonly agents = new Map<string, { messages: number; readonly spent: Spent }>()
  readonly #times: number[] = []

  add(message: IndexedMessage): void {
    this.messages += 1
    this.errors += message.errors
    if (message.ts !== null) this.#times.push(message.ts)
    for (const tool of message.tools) this.#tool(tool).calls += 1
    for (const tool of message.failed) this.#tool(tool).errors += 1
    this.models.add(message)
    this.tool_calls += message.tools.length
    const agent = this.agents.get(message.agent_id) ?? { messages: 0, spent: createZeroSpent() }
    this.agents.set(message.agent_id, agent)
    agent.messages += 1
    if (message.role !== 'assistant') return
    spend(this.spent, message)
    spend(agent.spent, message)
  }

  #tool(name: string): { calls: number; errors: number } {
    const tool = this.tools.get(name) ?? { calls: 0, errors: 0 }
    this.tools.set(name, tool)
    return tool
  }

  /** Returns how many messages fall into each twentieth of the session's time. */
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
