import type { Account, CostCell } from '@panoptes/schema'
import { typeOf } from './facts.ts'
import { nameOf } from './names.ts'

export const SPENT = [
  'replies',
  'tokens_in',
  'tokens_out',
  'cache_read',
  'cache_write',
  'cost_micro_usd',
  'usage_unknown',
  'cost_unknown',
  'saved_micro_usd',
] as const
export type Spent = number[]

/** A cell with the kind of agent that it is of, as it is stored. */
export interface TypedCell {
  readonly cell: CostCell
  readonly type: string
}

/** What a sum is of; `seen` and `unpriced` only count sessions. */
type CostKind = 'total' | 'agent' | 'skill' | 'seen' | 'unpriced'

/** What a session adds to one name on one of its days, with any model or with one. */
export interface CostFact {
  readonly kind: CostKind
  readonly name: string | null
  /** Null for any. */
  readonly model: string | null
  /** Empty for all days together. */
  readonly day: string
  /** The session's last day before this one for the same name, so that a span counts it once: on its first day in it. */
  readonly prev: string
  readonly spent: Spent
}

export function typedCells({ agents, cells }: Account): TypedCell[] {
  const types = new Map(agents.map((agent) => [agent.agent_id, typeOf(agent)]))
  return cells.map((cell) => ({
    cell,
    type: types.get(cell.agent_id) ?? typeOf({ agent_id: cell.agent_id, subagent_type: null }),
  }))
}

export const noneSpent = (): Spent => SPENT.map(() => 0)
const spentOf = (cell: CostCell): Spent => SPENT.map((field) => cell[field])
export const addTo = (sum: Spent, more: readonly number[]): void => {
  for (const [n, value] of more.entries()) sum[n] = (sum[n] ?? 0) + value
}

/** `day` is the day of its last sign: a session without a cell was there, too. */
export function costFacts(cells: readonly TypedCell[], day: string | null): CostFact[] {
  const named = new Map<string, Days>()
  const add = (kind: CostKind, name: string | null, model: string | null, on: string, spent: Spent) => {
    const key = `${kind}\u001f${name ?? ''}\u001f${model ?? ''}`
    const days = named.get(key) ?? { kind, name, model, spent: new Map<string, Spent>() }
    named.set(key, days)
    const sum = days.spent.get(on) ?? noneSpent()
    days.spent.set(on, sum)
    addTo(sum, spent)
  }
  add('seen', null, null, '', noneSpent())
  if (day !== null) add('seen', null, null, day, noneSpent())
  for (const { cell, type } of cells) {
    const spent = spentOf(cell)
    for (const model of [null, nameOf(cell.model)]) {
      add('total', null, model, cell.day, spent)
      add('agent', type, model, cell.day, spent)
      add('skill', nameOf(cell.skill), model, cell.day, spent)
    }
    add('seen', null, null, cell.day, noneSpent())
    if (cell.cost_unknown + cell.usage_unknown > 0) add('unpriced', null, null, cell.day, noneSpent())
  }
  return [...named.values()].flatMap(spread)
}

interface Days {
  readonly kind: CostKind
  readonly name: string | null
  readonly model: string | null
  readonly spent: Map<string, Spent>
}

function spread({ kind, name, model, spent }: Days): CostFact[] {
  const all = noneSpent()
  let prev = ''
  const days = [...spent.keys()].filter((day) => day !== '').sort()
  const facts = days.map((day) => {
    const sum = spent.get(day) ?? noneSpent()
    addTo(all, sum)
    const fact = { kind, name, model, day, prev, spent: sum }
    prev = day
    return fact
  })
  return [...facts, { kind, name, model, day: '', prev: '', spent: all }]
}
