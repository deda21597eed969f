import type { CostRow } from '@panoptes/schema'
import { twoDigits } from '../../format.ts'

/** The money of a day, week or month, by the parts of its bar from the bottom up. */
export interface Column {
  /** Its first moment, and the first one after it. */
  readonly from: number
  readonly to: number
  /** Micro-dollars by the key of the series. */
  readonly parts: ReadonlyMap<string, number>
  readonly total: number
  /** Unpriced replies in it. */
  readonly unknown: number
}

export type Unit = 'day' | 'week' | 'month'

/** The first moment of 2026-11-16 in this computer's time zone; null if it is not a date. */
export function dayStart(day: string): number | null {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day)
  if (!found) return null
  const [year, month, date] = found.slice(1).map(Number)
  const time = new Date(year ?? 0, (month ?? 1) - 1, date).getTime()
  return Number.isNaN(time) ? null : time
}

/** 2026-11-16 in this computer's time zone. */
export function dayName(ts: number): string {
  const date = new Date(ts)
  return `${String(date.getFullYear()).padStart(4, '0')}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())}`
}

/** The last millisecond of the day that begins then, even if the clock changes on that day. */
export const dayEnd = (from: number): number => nextStart('day', from) - 1

const MOST_DAYS = 100
const MOST_WEEKS = 110
const DAY_MS = 86_400_000

const unitFor = (from: number, to: number): Unit => {
  const days = Math.round((to - from) / DAY_MS) + 1
  return days <= MOST_DAYS ? 'day' : days <= 7 * MOST_WEEKS ? 'week' : 'month'
}

function floorTo(unit: Unit, ts: number): number {
  const date = new Date(ts)
  date.setHours(0, 0, 0, 0)
  if (unit === 'week') date.setDate(date.getDate() - ((date.getDay() + 6) % 7))
  if (unit === 'month') date.setDate(1)
  return date.getTime()
}

function daysBefore(ts: number, days: number): number {
  const date = new Date(floorTo('day', ts))
  date.setDate(date.getDate() - days)
  return date.getTime()
}

function nextStart(unit: Unit, ts: number): number {
  const date = new Date(ts)
  if (unit === 'month') date.setMonth(date.getMonth() + 1)
  else date.setDate(date.getDate() + (unit === 'week' ? 7 : 1))
  return date.getTime()
}

/** Replies of unknown cost, because their price or their usage is unknown. */
export const unknownReplies = (row: Pick<CostRow, 'cost_unknown' | 'usage_unknown'>): number =>
  row.cost_unknown + row.usage_unknown

/** A minimum number of days, because one bar of a young history would fill the page. */
const LEAST_DAYS = 14

/** An upper limit, because nobody draws a history that is empty for years. */
const MOST_COLUMNS = 400

/**
 * Every day of the time range, including days without costs; weeks or months if there are too many days.
 * `begin` is its first moment, or null if it starts with the first row.
 */
export function buildColumns(
  rows: readonly Pick<CostRow, 'name' | 'model' | 'cost_micro_usd' | 'cost_unknown' | 'usage_unknown'>[],
  span: {
    readonly begin: number | null
    readonly now: number
    readonly keyOf: (model: string | null) => string
  },
): { readonly unit: Unit; readonly columns: readonly Column[] } {
  const dated = rows.flatMap((row) => {
    const at = dayStart(row.name)
    return at === null ? [] : [{ row, at }]
  })
  const first =
    span.begin ?? dated.reduce((least, { at }) => Math.min(least, at), daysBefore(span.now, LEAST_DAYS - 1))
  const last = dated.reduce((most, { at }) => Math.max(most, at), floorTo('day', span.now))
  const unit = unitFor(first, last)
  const sums = new Map<number, { parts: Map<string, number>; unknown: number }>()
  for (const { row, at } of dated) {
    const place = floorTo(unit, at)
    const sum = sums.get(place) ?? { parts: new Map<string, number>(), unknown: 0 }
    const key = span.keyOf(row.model)
    sum.parts.set(key, (sum.parts.get(key) ?? 0) + row.cost_micro_usd)
    sum.unknown += unknownReplies(row)
    sums.set(place, sum)
  }
  const columns: Column[] = []
  for (
    let from = floorTo(unit, first);
    from <= last && columns.length < MOST_COLUMNS;
    from = nextStart(unit, from)
  ) {
    const { parts = new Map<string, number>(), unknown = 0 } = sums.get(from) ?? {}
    const total = [...parts.values()].reduce((sum, value) => sum + value, 0)
    columns.push({ from, to: nextStart(unit, from), parts, total, unknown })
  }
  return { unit, columns }
}

/** A budget far above all bars would leave no room for them. */
const FAR = 3

/** The budget line over the bars; null if there is none or it is far above them. */
export function budgetLine(budget: number | null, columns: readonly Pick<Column, 'total'>[]): number | null {
  const most = columns.reduce((sofar, { total }) => Math.max(sofar, total), 0)
  return budget !== null && (most === 0 || budget <= FAR * most) ? budget : null
}

/** The columns labelled under the plot: evenly spaced, with the last one if it fits. */
export function labelledColumns(count: number, most: number): readonly number[] {
  if (count === 0 || most < 1) return []
  const every = Math.ceil(count / most)
  return Array.from({ length: Math.ceil(count / every) }, (_, i) => count - 1 - i * every).reverse()
}

/** The parts of a bar from the bottom up, each starting where the one below ends. */
export function stackParts(
  parts: ReadonlyMap<string, number>,
  order: readonly string[],
): readonly { readonly key: string; readonly from: number; readonly to: number }[] {
  let sofar = 0
  return order.flatMap((key) => {
    const value = parts.get(key) ?? 0
    if (value <= 0) return []
    const from = sofar
    sofar += value
    return [{ key, from, to: sofar }]
  })
}
