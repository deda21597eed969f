import type { CostCell, TokenUsage } from '@panoptes/schema'
import { share } from './share.ts'

/** What one reply took, or many together. */
export interface Paid {
  readonly agent: string
  readonly day: string
  readonly model: string | null
  /** In the scope of which it was made. */
  readonly skill: string | null
  readonly usage: TokenUsage | null
  readonly cost: number | null
  readonly saved: number | null
}

/** What is known of a whole session instead of its replies. */
export interface Whole {
  readonly agent: string
  /** Where there was no reply. */
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

/** Adds up what replies took by day, agent, model and skill. */
export class Spending {
  #cells = new Map<string, CostCell>()

  /** A reply of which neither the model nor its tokens are known is none: a client's own words. */
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
    else cell.cost_micro_usd += cost
  }

  /** What a source says of the whole session takes the place of the sum: it is shared out by replies, and adds up to the same. */
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
    const last = this.cells().at(-1)
    if (last !== undefined && cost === null) last.cost_unknown = 1
  }

  /** Where a source says what the whole session cost, and not what it took. */
  reprice(cost: number, agent: string, day: string): void {
    if (this.#cells.size === 0) this.#cell({ agent, day, model: null, skill: null })
    for (const cell of this.#cells.values()) cell.cost_unknown = 0
    this.#shareOut({ cost_micro_usd: cost })
  }

  cells(): CostCell[] {
    return [...this.#cells.values()].sort(
      (a, b) =>
        order(a.day, b.day) ||
        order(a.agent_id, b.agent_id) ||
        order(a.model ?? '', b.model ?? '') ||
        order(a.skill ?? '', b.skill ?? ''),
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
    const known = this.#cells.get(key)
    if (known !== undefined) return known
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

const order = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
