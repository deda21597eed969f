import { expect, it } from 'vitest'
import { budgetLine, buildColumns, dayEnd, dayName, dayStart, labelledColumns, stackParts } from './days.ts'

const NOW = new Date(2026, 10, 16, 14, 30).getTime()
const row = (name: string, cost: number, model: string | null = 'm', unknown = 0) => ({
  name,
  model,
  cost_micro_usd: cost,
  cost_unknown: unknown,
  usage_unknown: 0,
})
const span = (begin: number | null) => ({ begin, now: NOW, keyOf: (model: string | null) => model ?? 'none' })

it('shows every day of the time range, including days without costs', () => {
  const begin = new Date(2026, 10, 10).getTime()
  const rows = [row('2026-11-12', 5, 'a'), row('2026-11-12', 7, 'b', 2), row('2026-11-16', 1, 'a')]
  const { unit, columns } = buildColumns(rows, span(begin))
  expect(unit).toBe('day')
  expect(columns.map(({ total }) => total)).toEqual([0, 0, 12, 0, 0, 0, 1])
  expect(columns[2]?.unknown).toBe(2)
  expect(columns[0]?.from).toBe(begin)
  expect(columns.at(-1)?.to).toBe(new Date(2026, 10, 17).getTime())
})

it('starts with the first row when the time range is unlimited, but shows two weeks at least', () => {
  expect(buildColumns([row('2026-10-14', 1)], span(null)).columns.length).toBe(34)
  expect(buildColumns([row('2026-11-14', 1)], span(null)).columns.length).toBe(14)
  expect(buildColumns([], span(null)).columns.length).toBe(14)
})

it('sums rows of one day or week that belong to the same series', () => {
  const day = buildColumns(
    [row('2026-11-16', 5, 'a'), row('2026-11-16', 7, 'a'), row('2026-11-16', 2)],
    span(null),
  )
  expect(day.columns.at(-1)).toMatchObject({
    parts: new Map([
      ['a', 12],
      ['m', 2],
    ]),
    total: 14,
  })
  const rows = [row('2026-01-05', 1, 'a', 1), row('2026-01-06', 2, 'a', 2), row('2026-01-11', 4, 'a', 4)]
  const week = buildColumns([...rows, row('2026-01-12', 8, 'a')], span(null))
  expect(week.unit).toBe('week')
  expect(week.columns.slice(0, 2)).toMatchObject([
    { parts: new Map([['a', 7]]), total: 7, unknown: 7 },
    { parts: new Map([['a', 8]]), total: 8, unknown: 0 },
  ])
})

it('shows a row with a future date', () => {
  const { columns } = buildColumns([row('2026-11-17', 3)], span(null))
  expect(columns.at(-1)).toMatchObject({ from: new Date(2026, 10, 17).getTime(), total: 3 })
})

it('counts unpriced replies and replies without usage as unknown', () => {
  const lacks = { ...row('2026-11-16', 0, 'a', 2), usage_unknown: 3 }
  expect(buildColumns([lacks], span(null)).columns.at(-1)?.unknown).toBe(5)
})

it('groups days into weeks or months when there are too many', () => {
  const weeks = buildColumns([row('2026-01-05', 1), row('2026-11-16', 2), row('2026-11-15', 3)], span(null))
  expect(weeks.unit).toBe('week')
  expect(weeks.columns.map(({ total }) => total).filter((total) => total > 0)).toEqual([1, 3, 2])
  const months = buildColumns([row('2021-03-09', 1), row('2026-11-16', 2)], span(null))
  expect(months).toMatchObject({ unit: 'month' })
  expect(months.columns.length).toBe(69)
})

it('ignores invalid dates and limits the number of columns', () => {
  expect(buildColumns([row('', 1), row('yesterday', 1)], span(null)).columns.length).toBe(14)
  expect(buildColumns([row('0001-01-01', 1)], span(null)).columns.length).toBeLessThanOrEqual(400)
  expect(dayStart('2026-11-16')).toBe(new Date(2026, 10, 16).getTime())
  expect(dayStart('16 Nov')).toBeNull()
})

it('ends a day one millisecond before the next one, also when the clock changes', () => {
  for (const day of [new Date(2026, 2, 29), new Date(2026, 9, 25), new Date(2026, 11, 31)])
    expect(new Date(dayEnd(day.getTime()) + 1).getHours()).toBe(0)
})

it('labels some evenly spaced columns including the last one', () => {
  expect(labelledColumns(30, 5)).toEqual([5, 11, 17, 23, 29])
  expect(labelledColumns(3, 5)).toEqual([0, 1, 2])
  expect(labelledColumns(0, 5)).toEqual([])
})

it('stacks the parts of a bar and leaves out empty ones', () => {
  const parts = new Map([
    ['a', 3],
    ['b', 0],
    ['c', 4],
  ])
  expect(stackParts(parts, ['c', 'b', 'a'])).toEqual([
    { key: 'c', from: 0, to: 4 },
    { key: 'a', from: 4, to: 7 },
  ])
})

it('shows the budget line unless it is far above all bars', () => {
  const columns = [{ total: 10 }, { total: 4 }]
  expect([null, 5, 30, 31].map((budget) => budgetLine(budget, columns))).toEqual([null, 5, 30, null])
  expect(budgetLine(31, [{ total: 0 }])).toBe(31)
})

it('names a day like the server', () => {
  const at = new Date(2026, 2, 5, 23, 59).getTime()
  expect(dayName(at)).toBe('2026-03-05')
  expect(dayStart(dayName(at))).toBe(new Date(2026, 2, 5).getTime())
})
