import fc from 'fast-check'
import { expect, it } from 'vitest'
import { acts, crowdedTurn, slot, turn } from '../moa.test-kit.ts'
import { buildRows, createScale, rowMoney, workTime } from './bars.ts'

const NOW = turn().started_at + 10_000

it('draws every slot on the time scale of its turn', () => {
  const rows = buildRows(turn(), NOW)
  expect(rows.map(({ letter, name }) => [letter, name])).toEqual([
    ['A', 'opus-4-8'],
    ['B', 'sonnet-4-6'],
    ['C', 'local-32b'],
    ['D', 'haiku-4-5'],
    [null, 'opus-4-8'],
  ])
  expect(rows[0]?.stretches).toEqual([{ from: 10, first: 1_100, to: 4_800, isRunning: false, error: null }])
  expect(createScale(rows)).toEqual({ most: 9_400, ticks: [0, 2_000, 4_000, 6_000, 8_000] })
})

it('extends the bar of a running slot and shows each aggregator call in one row', () => {
  const { started_at } = turn()
  const running = {
    ...turn(),
    slots: [slot({ model: 'm', started_at, first_token_at: null, ended_at: null })],
  }
  expect(buildRows(running, started_at + 700)[0]?.stretches[0]).toMatchObject({
    to: 700,
    first: null,
    isRunning: true,
  })
  const acting = buildRows(crowdedTurn(), NOW).at(-1)
  expect(acting?.stretches.length).toBe(20)
  expect(acting && workTime(acting)).toBe(20 * 1_800)
})

it('shows partly known costs as a minimum and unasked references as a dash', () => {
  const money = buildRows(crowdedTurn(), NOW).map(rowMoney)
  expect([money[2], money[7]]).toEqual(['unknown', '–'])
  const mixed = { ...turn(), slots: [acts(1, 0, 10), acts(2, 20, 30, { cost_micro_usd: null })] }
  expect(buildRows(mixed, NOW).map(rowMoney)).toEqual(['≥ $0.12'])
  const error = { class: 'skipped' as const, message: 'Enough others had answered.' }
  const stopped = (asked: boolean) => {
    const slots = [slot({ model: 'm', cost_micro_usd: null, error, asked })]
    return buildRows({ ...turn(), slots }, NOW).map(rowMoney)
  }
  expect([stopped(true), stopped(false)]).toEqual([['unknown'], ['–']])
})

it('keeps every bar on the scale, even with inconsistent clocks', () => {
  const time = fc.nat(100_000)
  fc.assert(
    fc.property(
      fc.array(fc.tuple(time, fc.option(time), fc.option(time)), { minLength: 1, maxLength: 20 }),
      (all) => {
        const { started_at } = turn()
        const slots = all.map(([from, first, end]) =>
          slot({
            model: 'm',
            started_at: started_at - 50_000 + from,
            first_token_at: first === null ? null : started_at - 50_000 + first,
            ended_at: end === null ? null : started_at - 50_000 + end,
          }),
        )
        const rows = buildRows({ started_at, slots }, NOW)
        const { most } = createScale(rows)
        for (const { from, first, to } of rows.flatMap(({ stretches }) => stretches)) {
          expect(from).toBeGreaterThanOrEqual(0)
          expect(to).toBeGreaterThanOrEqual(from)
          expect(to).toBeLessThanOrEqual(most)
          if (first !== null) expect(first >= from && first <= to).toBe(true)
        }
      },
    ),
  )
})
