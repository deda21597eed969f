import type { Account, CostCell, OutsideSpent } from '@panoptes/schema'
import { agentType } from './facts.ts'
import { nameOrUnknown } from './names.ts'

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

/** A cost cell with the kind of agent it belongs to, as it is stored. */
export interface TypedCell {
  readonly cell: CostCell
  readonly type: string
}

/**
 * What a sum covers. `seen` and `unpriced` only count sessions. `outside` is what clients report as spent
 * outside their transcripts; `reported` and `seen_reported` count the sessions of `total` and `seen` whose
 * clients report it.
 */
type CostKind = 'total' | 'agent' | 'skill' | 'seen' | 'unpriced' | 'outside' | 'reported' | 'seen_reported'

/** Holds what a session adds to one name on one of its days, for one model or for any model. */
export interface CostFact {
  readonly kind: CostKind
  readonly name: string | null
  /** Null means any model. */
  readonly model: string | null
  /** An empty text means all days together. */
  readonly day: string
  /**
   * The session's previous day with the same name. A span uses it to count the session once, on its first day
   * within the span.
   */
  readonly prev: string
  readonly spent: Spent
}

export function addAgentTypes({ agents, cells }: Account): TypedCell[] {
  const types = new Map(agents.map((agent) => [agent.agent_id, agentType(agent)]))
  return cells.map((cell) => ({
    cell,
    type: types.get(cell.agent_id) ?? agentType({ agent_id: cell.agent_id, subagent_type: null }),
  }))
}

export const createZeroSpent = (): Spent => SPENT.map(() => 0)
const cellSpent = (cell: CostCell): Spent => SPENT.map((field) => cell[field])
export const addTo = (sum: Spent, more: readonly number[]): void => {
  for (const [n, value] of more.entries()) sum[n] = (sum[n] ?? 0) + value
}

/** The parts of an account that its cost sums are computed from. */
interface Spending {
  readonly cells: readonly TypedCell[]
  /** This is null when it is unknown. The field is missing in documents that an older version stored. */
  readonly outside?: OutsideSpent | null | undefined
}

/**
 * Returns the day on which spending outside the transcript counts. Clients report no day, so it is the day of
 * the last sign of life.
 */
export const outsideDay = (cells: readonly TypedCell[], day: string | null): string | null =>
  cells.reduce<string | null>((last, { cell }) => (last === null || cell.day > last ? cell.day : last), day)

/**
 * `day` is the day of the session's last sign of life, so that a session without cells still counts as seen.
 */
export function costFacts({ cells, outside }: Spending, day: string | null): CostFact[] {
  const named = new Map<string, Days>()
  const add = (kind: CostKind, name: string | null, model: string | null, on: string, spent: Spent) => {
    const key = `${kind}\u001f${name ?? ''}\u001f${model ?? ''}`
    const days = named.get(key) ?? { kind, name, model, spent: new Map<string, Spent>() }
    named.set(key, days)
    const sum = days.spent.get(on) ?? createZeroSpent()
    days.spent.set(on, sum)
    addTo(sum, spent)
  }
  const addSeen = (on: string) => {
    add('seen', null, null, on, createZeroSpent())
    if (outside) add('seen_reported', null, null, on, createZeroSpent())
  }
  addSeen('')
  if (day !== null) addSeen(day)
  for (const { cell, type } of cells) {
    const spent = cellSpent(cell)
    for (const model of [null, nameOrUnknown(cell.model)]) {
      add('total', null, model, cell.day, spent)
      add('agent', type, model, cell.day, spent)
      add('skill', nameOrUnknown(cell.skill), model, cell.day, spent)
    }
    addSeen(cell.day)
    if (cell.cost_unknown + cell.usage_unknown > 0) add('unpriced', null, null, cell.day, createZeroSpent())
    if (outside)
      for (const model of [null, nameOrUnknown(cell.model)])
        add('reported', null, model, cell.day, createZeroSpent())
  }
  const last = outsideDay(cells, day)
  if (outside && last !== null) {
    add('outside', null, null, last, costOnly(outside.cost_micro_usd))
    for (const { model, cost_micro_usd } of outside.models)
      add('outside', null, nameOrUnknown(model), last, costOnly(cost_micro_usd))
  }
  return [...named.values()].flatMap(spread)
}

const costOnly = (cost: number): Spent => SPENT.map((field) => (field === 'cost_micro_usd' ? cost : 0))

interface Days {
  readonly kind: CostKind
  readonly name: string | null
  readonly model: string | null
  readonly spent: Map<string, Spent>
}

function spread({ kind, name, model, spent }: Days): CostFact[] {
  const all = createZeroSpent()
  let prev = ''
  const days = [...spent.keys()].filter((day) => day !== '').sort()
  const facts = days.map((day) => {
    const sum = spent.get(day) ?? createZeroSpent()
    addTo(all, sum)
    const fact = { kind, name, model, day, prev, spent: sum }
    prev = day
    return fact
  })
  return [...facts, { kind, name, model, day: '', prev: '', spent: all }]
}
