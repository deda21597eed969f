import type { StoredEvent, TokenUsage } from '@panoptes/schema'
import { isKind } from '@panoptes/schema/reading'
import type { LoggedReply } from './log-skills.ts'
import { MAIN, type Making } from './making.ts'
import { type Paid, Spending } from './spending.ts'

interface Reply extends LoggedReply {
  readonly model: string | null
  readonly usage: TokenUsage
  /** As it was told. */
  readonly cost: number | null
}

/** What was paid for, as the log tells of it: each reply once, its largest count. */
export class LoggedSpending {
  readonly #replies = new Map<string, Reply>()
  /** What an agent is said to have cost in all, for those of whose replies nothing is told. */
  readonly #inAll = new Map<string, { readonly ts: number; readonly seq: number; readonly cost: number }>()

  /** Replies that count elsewhere, and the event that told so. */
  readonly #takenBack = new Map<string, number>()

  hear(event: StoredEvent): void {
    if (isKind(event, 'taken_back') && event.of === 'usage' && event.id)
      this.#takenBack.set(nameOf(event.agent_id, event.id), event.seq)
    if (isKind(event, 'agent_done') && event.id && typeof event.cost_usd === 'number')
      this.#inAll.set(event.id, { ts: event.ts, seq: event.seq, cost: microOf(event.cost_usd) })
    if (!isKind(event, 'usage')) return
    const { ts, seq, key, id } = event
    const agent = event.agent_id ?? MAIN
    const name = nameOf(agent, id ?? key)
    const known = this.#replies.get(name)
    const usage = usageOf(event)
    if (known !== undefined && sizeOf(known.usage) >= sizeOf(usage)) {
      this.#replies.set(name, {
        ...known,
        ts: Math.min(known.ts, ts),
        model: known.model ?? event.model ?? null,
      })
      return
    }
    const told = event.cost_status === 'unknown' ? null : (event.cost_usd ?? null)
    this.#replies.set(name, {
      agent,
      ts: known === undefined ? ts : Math.min(known.ts, ts),
      seq: known?.seq ?? seq,
      model: event.model ?? known?.model ?? null,
      usage,
      cost: told === null ? (known?.cost ?? null) : microOf(told),
      skill: null,
    })
  }

  /** In the order of their times. */
  replies(): readonly Reply[] {
    const counted = [...this.#replies].filter(([name]) => !this.#takenBack.has(name))
    return counted
      .sort(([a, one], [b, other]) => one.ts - other.ts || (a < b ? -1 : 1))
      .map(([, reply]) => reply)
  }

  /** When it is known by which skill each reply was made: of all that was told after an event. */
  sum(making: Making, after: number): Spending {
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

  /** What had been told by that event, and was taken back after it. */
  takenBack(making: Making, after: number): Spending {
    const spending = new Spending()
    for (const [name, reply] of this.#replies)
      if (reply.seq <= after && (this.#takenBack.get(name) ?? 0) > after) spending.add(paidFor(reply, making))
    return spending
  }
}

function paidFor({ agent, ts, model, skill, usage, cost }: Reply, { prices, dayOf }: Making): Paid {
  const price = cost ?? (model === null ? null : prices.costOf(model, usage, ts))
  const saved = model === null ? null : prices.savedOf(model, usage, ts)
  const known = price !== null || sizeOf(usage) > 0
  return { agent, day: dayOf(ts), model, skill, usage: known ? usage : null, cost: price, saved }
}

const NOTHING: TokenUsage = {
  input: null,
  output: null,
  cache_read: null,
  cache_write: null,
  cache_write_1h: null,
  reasoning: null,
}

const nameOf = (agent: string | null | undefined, id: string): string => JSON.stringify([agent ?? MAIN, id])

const microOf = (usd: number): number => Math.round(usd * 1_000_000)

function usageOf(event: StoredEvent): TokenUsage {
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

/** A reply that is told while it is written grows. */
const sizeOf = ({ input, output, cache_read, cache_write }: TokenUsage): number =>
  [input, output, cache_read, cache_write].reduce<number>(
    (sum, count) => sum + (count === null ? 0 : count + 1),
    0,
  )
