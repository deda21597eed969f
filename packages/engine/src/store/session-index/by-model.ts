import type { Session, Spent } from '@panoptes/schema'
import { createZeroSpent } from '@panoptes/schema/spent'
import type { IndexedMessage } from './port.ts'
import { addSpent, spend } from './usage-sums.ts'

export interface Amount {
  messages: number
  tool_calls: number
  errors: number
  readonly spent: Spent
}

const nothing = (): Amount => ({ messages: 0, tool_calls: 0, errors: 0, spent: createZeroSpent() })

/** Stands for an unknown model. */
const NONE = ''

/**
 * Divides a session among its models: their replies, the requests before them, and the results of their
 * calls. All parts together are the session.
 */
export class ByModel {
  readonly #models = new Map<string, Amount>()
  /** For each agent, this holds the model that answered last and what waits for an answer. */
  readonly #last = new Map<string, string>()
  readonly #waiting = new Map<string, Amount>()

  add(message: IndexedMessage): void {
    const { agent_id: agent, model, role } = message
    const own = model ?? (role === 'tool' ? this.#last.get(agent) : undefined)
    const amount = own === undefined ? at(this.#waiting, agent) : at(this.#models, own)
    count(amount, message)
    if (model === null) return
    this.#last.set(agent, model)
    this.#join(agent, model)
  }

  /**
   * Call this when a session ends. `spent` is what it cost; an amount that the source reports for the whole
   * session goes to the model it names.
   */
  end(session: Session, spent: Spent): ReadonlyMap<string, Amount> {
    const named = session.model ?? NONE
    for (const agent of [...this.#waiting.keys()]) this.#join(agent, this.#last.get(agent) ?? named)
    if (session.model !== null || this.#models.size === 0) at(this.#models, named)
    if ((session.usage ?? null) === null && (session.cost_micro_usd ?? null) === null) return this.#models
    return new Map(
      [...this.#models].map(([model, amount]) => [
        model,
        { ...amount, spent: model === named ? spent : createZeroSpent() },
      ]),
    )
  }

  #join(agent: string, model: string): void {
    const waiting = this.#waiting.get(agent)
    if (waiting === undefined) return
    this.#waiting.delete(agent)
    const amount = at(this.#models, model)
    amount.messages += waiting.messages
    amount.tool_calls += waiting.tool_calls
    amount.errors += waiting.errors
    addSpent(amount.spent, waiting.spent)
  }
}

function count(amount: Amount, message: IndexedMessage): void {
  amount.messages += 1
  amount.tool_calls += message.tools.length
  amount.errors += message.errors
  if (message.role === 'assistant') spend(amount.spent, message)
}

function at(amounts: Map<string, Amount>, name: string): Amount {
  const amount = amounts.get(name) ?? nothing()
  amounts.set(name, amount)
  return amount
}
