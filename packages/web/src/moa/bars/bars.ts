import type { ErrorClass, MoaTurn, TurnSlot } from '@panoptes/schema'
import { clamp } from '@panoptes/schema/numbers'
import { shortModel } from '../../ledger/plot/models.ts'
import { ticksUpTo } from '../../ledger/plot/scale.ts'
import type { Family } from '../../live/model/names.ts'
import { words } from '../../words.ts'
import { costText, familyOfSlot, referenceLetter } from '../format.ts'
import { groupByPlace } from '../preset-slots.ts'

const w = words.moa.bars

/** One call on the scale of its turn, in milliseconds since the turn began. */
export interface TimeSpan {
  readonly from: number
  /** The time of its first token; null if none has arrived or the time is unknown. */
  readonly first: number | null
  readonly to: number
  readonly isRunning: boolean
  readonly error: ErrorClass | null
}

export interface BarRow {
  readonly key: string
  readonly letter: string | null
  readonly name: string
  /** The label from the preset. */
  readonly label: string
  readonly family: Family | 'main'
  readonly stretches: readonly TimeSpan[]
  readonly cost: number | null
  /** How many of its calls have no price. */
  readonly unknown: number
}

/** Builds the rows of a turn: its references in preset order, then the aggregator, all on one time scale. */
export function buildRows(
  { slots, started_at }: Pick<MoaTurn, 'slots' | 'started_at'>,
  now: number,
): BarRow[] {
  const { references, aggregator } = groupByPlace(slots)
  const row = (calls: readonly TurnSlot[], key: string, letter: string | null): BarRow[] => {
    const last = calls.at(-1)
    if (last === undefined) return []
    const costs = calls.flatMap(({ cost_micro_usd }) => (cost_micro_usd === null ? [] : [cost_micro_usd]))
    return [
      {
        key,
        letter,
        name: shortModel(last.model),
        label: last.label,
        family: letter === null ? 'main' : familyOfSlot(last),
        stretches: calls.map((call) => toTimeSpan(call, started_at, now)),
        cost: costs.length === 0 ? null : costs.reduce((sum, cost) => sum + cost, 0),
        unknown: calls.filter(
          ({ cost_micro_usd, error, asked: isCalled }) =>
            cost_micro_usd === null && (isCalled ?? error?.class !== 'skipped'),
        ).length,
      },
    ]
  }
  return [
    ...references.flatMap((calls, place) => row(calls, `r${place}`, referenceLetter(place))),
    ...row(aggregator, 'aggregator', null),
  ]
}

function toTimeSpan(slot: TurnSlot, begin: number, now: number): TimeSpan {
  const from = Math.max(0, slot.started_at - begin)
  const to = Math.max(from, (slot.ended_at ?? now) - begin)
  const first = slot.first_token_at === null ? null : clamp(slot.first_token_at - begin, from, to)
  return { from, first, to, isRunning: slot.ended_at === null, error: slot.error?.class ?? null }
}

export interface TimeScale {
  readonly most: number
  readonly ticks: readonly number[]
}

/** Returns one scale for all rows, from zero to the end of the last call. */
export function createScale(rows: readonly BarRow[], least = 1): TimeScale {
  const most = rows.reduce(
    (sofar, { stretches }) => stretches.reduce((high, { to }) => Math.max(high, to), sofar),
    least,
  )
  return { most, ticks: ticksUpTo(most, 5).filter((tick) => tick <= most) }
}

/** Sums the time that a slot worked. */
export const workTime = ({ stretches }: BarRow): number =>
  stretches.reduce((sum, { from, to }) => sum + to - from, 0)

/**
 * Formats the cost of a slot: unknown without any price, a minimum if some prices are missing, and a dash if
 * it was never asked.
 */
export const rowMoney = ({ cost, unknown }: Pick<BarRow, 'cost' | 'unknown'>): string =>
  cost === null
    ? unknown > 0
      ? w.unknown
      : words.unknown
    : unknown > 0
      ? w.atLeast(costText(cost))
      : costText(cost)
