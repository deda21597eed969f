import type { CostRow } from '@panoptes/schema'

/** A day, a week or a month of money: what each part of its bar is, from the bottom up. */
export interface Column {
  /** Its first moment, and the first after it. */
  readonly from: number
  readonly to: number
  /** Micro-dollars by the key of the series. */
  readonly parts: ReadonlyMap<string, number>
  readonly total: number
  /** Replies in it whose price is not known. */
  readonly unknown: number
}

export type Unit = 'day' | 'week' | 'month'

/** The first moment of 2026-11-16 by the clock of this computer; null where it is no day. */
export function dayStart(day: string): number | null {
  const found = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day)
  if (!found) return null
  const [year, month, date] = found.slice(1).map(Number)
  const time = new Date(year ?? 0, (month ?? 1) - 1, date).getTime()
  return Number.isNaN(time) ? null : time
}

/** 2026-11-16 by the clock of this computer. */
export function dayName(ts: number): string {
  const date = new Date(ts)
  const two = (n: number) => String(n).padStart(2, '0')
  return `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** The last millisecond of the day that begins then, also where the clock is put forward or back on it. */
export const dayEnd = (from: number): number => after('day', from) - 1

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

function after(unit: Unit, ts: number): number {
  const date = new Date(ts)
  if (unit === 'month') date.setMonth(date.getMonth() + 1)
  else date.setDate(date.getDate() + (unit === 'week' ? 7 : 1))
  return date.getTime()
}

/** Replies of which it is not known what they cost: by their price, or by what they took. */
export const unknownOf = (row: Pick<CostRow, 'cost_unknown' | 'usage_unknown'>): number =>
  row.cost_unknown + row.usage_unknown

/** So few days as there are in a young history would make a bar as wide as the page. */
const LEAST_DAYS = 14

/** A year in whose every month nothing happened is no history that anyone draws. */
const MOST_COLUMNS = 400

/**
 * Every day of the span, also those on which nothing was spent; weeks or months where days would be too many. `begin` is the span's
 * first moment, or null where it begins with the first row.
 */
export function columnsOf(
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
    sum.unknown += unknownOf(row)
    sums.set(place, sum)
  }
  const columns: Column[] = []
  for (
    let from = floorTo(unit, first);
    from <= last && columns.length < MOST_COLUMNS;
    from = after(unit, from)
  ) {
    const { parts = new Map<string, number>(), unknown = 0 } = sums.get(from) ?? {}
    const total = [...parts.values()].reduce((sum, value) => sum + value, 0)
    columns.push({ from, to: after(unit, from), parts, total, unknown })
  }
  return { unit, columns }
}

/** A budget that no bar comes near would leave no room for the bars. */
const FAR = 3

/** The budget as a line over the bars; null where there is none, or it is far above them. */
export function lineOf(budget: number | null, columns: readonly Pick<Column, 'total'>[]): number | null {
  const most = columns.reduce((sofar, { total }) => Math.max(sofar, total), 0)
  return budget !== null && (most === 0 || budget <= FAR * most) ? budget : null
}

/** Which columns are named under the plot: evenly spaced, the last one among them where it fits. */
export function namedColumns(count: number, most: number): readonly number[] {
  if (count === 0 || most < 1) return []
  const every = Math.ceil(count / most)
  return Array.from({ length: Math.ceil(count / every) }, (_, i) => count - 1 - i * every).reverse()
}

/** The parts of a bar, from the bottom up, each from where the one below it ends. */
export function stackOf(
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
