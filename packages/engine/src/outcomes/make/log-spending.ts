import type { StoredEvent, TokenUsage } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import { type AccountContext, MAIN } from './account-context.ts'
import type { LoggedReply } from './log-skills.ts'
import { type Paid, Spending } from './spending.ts'

interface Reply extends LoggedReply {
  readonly model: string | null
  readonly usage: TokenUsage
  /** The reported cost. */
  readonly cost: number | null
}

/** Costs in the log: each reply once, with its largest count. */
export class LoggedSpending {
  readonly #replies = new Map<string, Reply>()
  /** The reported total cost of agents whose replies are not recorded. */
  readonly #inAll = new Map<string, { readonly ts: number; readonly seq: number; readonly cost: number }>()

  /** Replies that count elsewhere, and the event that said so. */
  readonly #takenBack = new Map<string, number>()

  hear(event: StoredEvent): void {
    if (isKind(event, 'taken_back') && event.of === 'usage' && event.id)
      this.#takenBack.set(replyKey(event.agent_id, event.id), event.seq)
    if (isKind(event, 'agent_done') && event.id && typeof event.cost_usd === 'number')
      this.#inAll.set(event.id, { ts: event.ts, seq: event.seq, cost: toMicroUsd(event.cost_usd) })
    if (!isKind(event, 'usage')) return
    const { ts, seq, key, id } = event
    const agent = event.agent_id ?? MAIN
    const name = replyKey(agent, id ?? key)
    const previous = this.#replies.get(name)
    const usage = readUsage(event)
    if (previous !== undefined && usageSize(previous.usage) >= usageSize(usage)) {
      this.#replies.set(name, {
        ...previous,
        ts: Math.min(previous.ts, ts),
        model: previous.model ?? event.model ?? null,
      })
      return
    }
    const costUsd = event.cost_status === 'unknown' ? null : (event.cost_usd ?? null)
    this.#replies.set(name, {
      agent,
      ts: previous === undefined ? ts : Math.min(previous.ts, ts),
      seq: previous?.seq ?? seq,
      model: event.model ?? previous?.model ?? null,
      usage,
      cost: costUsd === null ? (previous?.cost ?? null) : toMicroUsd(costUsd),
      skill: null,
    })
  }

  /** Returns the replies ordered by time. */
  replies(): readonly Reply[] {
    const counted = [...this.#replies].filter(([name]) => !this.#takenBack.has(name))
    return counted
      .sort(([a, one], [b, other]) => one.ts - other.ts || (a < b ? -1 : 1))
      .map(([, reply]) => reply)
  }

  /** Sums everything reported after an event. Call it once the skill of each reply is known. */
  sum(making: AccountContext, after: number): Spending {
    const spending = new Spending()
    const paying = new Set<string>()
    for (const reply of this.replies()) {
      paying.add(reply.agent)
      if (reply.seq > after) spending.add(paidFor(reply, making))
    }
    for (const [agent, { ts, seq, cost }] of this.#inAll)
      if (!paying.has(agent) && seq > after)
        spending.add({
          agent,
          day: making.dayOf(ts),
          model: null,
          skill: null,
          usage: NOTHING,
          cost,
          saved: null,
        })
    return spending
  }

  /** Sums what was reported by that event and taken back after it. */
  takenBack(making: AccountContext, after: number): Spending {
    const spending = new Spending()
    for (const [name, reply] of this.#replies)
      if (reply.seq <= after && (this.#takenBack.get(name) ?? 0) > after) spending.add(paidFor(reply, making))
    return spending
  }
}

function paidFor({ agent, ts, model, skill, usage, cost }: Reply, { prices, dayOf }: AccountContext): Paid {
  const price = cost ?? (model === null ? null : prices.costOf(model, usage, ts))
  const saved = model === null ? null : prices.savedOf(model, usage, ts)
  const hasUsage = price !== null || usageSize(usage) > 0
  return { agent, day: dayOf(ts), model, skill, usage: hasUsage ? usage : null, cost: price, saved }
}

const NOTHING: TokenUsage = {
  input: null,
  output: null,
  cache_read: null,
  cache_write: null,
  cache_write_1h: null,
  reasoning: null,
}

const replyKey = (agent: string | null | undefined, id: string): string => JSON.stringify([agent ?? MAIN, id])

const toMicroUsd = (usd: number): number => Math.round(usd * 1_000_000)

function readUsage(event: StoredEvent): TokenUsage {
  const count = (name: string): number | null => {
    const value = event[name]
    return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : null
  }
  return {
    input: count('input'),
    output: count('output'),
    cache_read: count('cache_read'),
    cache_write: count('cache_write'),
    cache_write_1h: count('cache_write_1h'),
    reasoning: count('reasoning'),
  }
}

/** A reply that is reported while it is being written grows. */
const usageSize = ({ input, output, cache_read, cache_write }: TokenUsage): number =>
  [input, output, cache_read, cache_write].reduce<number>(
    (sum, count) => sum + (count === null ? 0 : count + 1),
    0,
  )
