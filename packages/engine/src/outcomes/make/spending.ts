import type { AccountSpent, CostCell, TokenUsage } from '@panoptes/schema'
import { compareText } from '@panoptes/schema/compare-text'
import type { InsideSpent } from '@panoptes/schema/outside'

export type Cost = Pick<AccountSpent, 'cost_micro_usd' | 'cost_unknown'>

/** The usage of one reply or of several together. */
export interface Paid {
  readonly agent: string
  readonly day: string
  readonly model: string | null
  /** The skill in whose scope it was made. */
  readonly skill: string | null
  readonly usage: TokenUsage | null
  readonly cost: number | null
  readonly saved: number | null
}

/** Totals of a whole session that replace those of its replies. */
export interface Whole {
  readonly agent: string
  /** Used if there was no reply. */
  readonly day: string
  readonly model: string | null
  readonly usage: TokenUsage
  readonly cost: number | null
  readonly saved: number | null
}

type Amounts = Pick<CostCell, (typeof SHARED)[number]>
const SHARED = [
  'tokens_in',
  'tokens_out',
  'cache_read',
  'cache_write',
  'cost_micro_usd',
  'saved_micro_usd',
] as const

/** Sums the usage of replies by day, agent, model and skill. */
export class Spending {
  #cells = new Map<string, CostCell>()
  /** Agents with a known cost. */
  readonly #priced = new Set<string>()

  /** A reply with neither a model nor tokens is the client's own text. */
  add({ usage, cost, saved, ...of }: Paid): void {
    if (usage === null && of.model === null) return
    const cell = this.#cell(of)
    cell.replies += 1
    if (usage === null) {
      cell.usage_unknown += 1
      return
    }
    cell.tokens_in += usage.input ?? 0
    cell.tokens_out += usage.output ?? 0
    cell.cache_read += usage.cache_read ?? 0
    cell.cache_write += usage.cache_write ?? 0
    cell.saved_micro_usd += saved ?? 0
    if (cost === null) cell.cost_unknown += 1
    else {
      cell.cost_micro_usd += cost
      this.#priced.add(of.agent)
    }
  }

  /**
   * Replaces the sum with the source's total, distributed over the replies without rounding loss.
   */
  replace({ agent, day, model, usage, cost, saved }: Whole): void {
    const before = [...this.#cells.values()].filter(({ replies }) => replies > 0)
    this.#cells = new Map()
    for (const { day, skill, replies } of before) this.#cell({ agent, day, model, skill }).replies += replies
    if (before.length === 0) this.#cell({ agent, day, model, skill: null })
    this.#shareOut({
      tokens_in: usage.input ?? 0,
      tokens_out: usage.output ?? 0,
      cache_read: usage.cache_read ?? 0,
      cache_write: usage.cache_write ?? 0,
      cost_micro_usd: cost ?? 0,
      saved_micro_usd: saved ?? 0,
    })
    this.#priced.clear()
    const last = this.cells().at(-1)
    if (cost !== null) this.#priced.add(agent)
    else if (last !== undefined) last.cost_unknown = 1
  }

  /** Replaces the cost, for a source that reports it for the session but reports no usage. */
  reprice(cost: number, agent: string, day: string): void {
    if (this.#cells.size === 0) this.#cell({ agent, day, model: null, skill: null })
    for (const cell of this.#cells.values()) {
      cell.cost_unknown = 0
      this.#priced.add(cell.agent_id)
    }
    this.#shareOut({ cost_micro_usd: cost })
  }

  /** Returns the cost of each agent; unknown if it was never reported or has no price. */
  costs(): ReadonlyMap<string, Cost> {
    const costs = new Map<string, Cost>()
    for (const { agent_id: agent, cost_micro_usd, cost_unknown, usage_unknown } of this.#cells.values()) {
      const previous = costs.get(agent)
      const cost = this.#priced.has(agent) ? (previous?.cost_micro_usd ?? 0) + cost_micro_usd : null
      const unknown = (previous?.cost_unknown ?? 0) + cost_unknown + usage_unknown
      costs.set(agent, { cost_micro_usd: cost, cost_unknown: unknown })
    }
    return costs
  }

  /** Returns the usage of each model; unknown for a model without a reply. */
  models(): ReadonlyMap<string, InsideSpent> {
    const models = new Map<string, InsideSpent>()
    for (const cell of this.#cells.values()) {
      const name = cell.model ?? ''
      const previous = models.get(name)
      models.set(name, {
        cost_micro_usd: (previous?.cost_micro_usd ?? 0) + cell.cost_micro_usd,
        cost_unknown: (previous?.cost_unknown ?? 0) + cell.cost_unknown + cell.usage_unknown,
        tokens:
          (previous?.tokens ?? 0) + cell.tokens_in + cell.tokens_out + cell.cache_read + cell.cache_write,
        replies: (previous?.replies ?? 0) + cell.replies,
      })
    }
    return models
  }

  cells(): CostCell[] {
    return [...this.#cells.values()].sort(
      (a, b) =>
        compareText(a.day, b.day) ||
        compareText(a.agent_id, b.agent_id) ||
        compareText(a.model ?? '', b.model ?? '') ||
        compareText(a.skill ?? '', b.skill ?? ''),
    )
  }

  #shareOut(amounts: Partial<Amounts>): void {
    const cells = this.cells()
    const weights = cells.map(({ replies }) => replies)
    for (const name of SHARED) {
      const amount = amounts[name]
      if (amount === undefined) continue
      share(amount, weights).forEach((part, at) => {
        ;(cells[at] as CostCell)[name] = part
      })
    }
  }

  #cell({ agent, day, model, skill }: Pick<Paid, 'agent' | 'day' | 'model' | 'skill'>): CostCell {
    const key = JSON.stringify([agent, day, model, skill])
    const existing = this.#cells.get(key)
    if (existing !== undefined) return existing
    const cell = {
      day,
      agent_id: agent,
      model,
      skill,
      replies: 0,
      tokens_in: 0,
      tokens_out: 0,
      cache_read: 0,
      cache_write: 0,
      cost_micro_usd: 0,
      usage_unknown: 0,
      cost_unknown: 0,
      saved_micro_usd: 0,
    }
    this.#cells.set(key, cell)
    return cell
  }
}

/**
 * Divides a whole amount into whole parts by weight. The parts add up to the amount, whatever its
 * sign.
 */
function share(amount: number, weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let weighed = 0
  let assigned = 0
  return weights.map((weight, at) => {
    weighed += total === 0 ? 1 : weight
    const until =
      at === weights.length - 1 ? amount : Math.round(amount * (weighed / (total || weights.length)))
    const part = until - assigned
    assigned = until
    return part
  })
}
