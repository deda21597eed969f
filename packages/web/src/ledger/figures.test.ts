import { expect, it } from 'vitest'
import { limitOf, moneyOf, moneyText, quantityText, rateText, shareText, tickText } from './figures.ts'

it('says money as far as it is known, and never nothing for what is not known', () => {
  expect(moneyText(14_820_000, 0)).toBe('$14.82')
  expect(moneyText(14_820_000, 2)).toBe('$14.82 + 2 unknown')
  expect(moneyText(0, 2)).toBe('–')
  expect(moneyText(null, 0)).toBe('–')
  expect(moneyText(0, 0)).toBe('$0.00')
})

it('says what a cache cost more than it saved with its sign', () => {
  expect(moneyOf(-1_500_000)).toBe('−$1.50')
})

it('says a limit as someone wrote it', () => {
  expect([25_000_000, 500_000, 1_250_000_000].map(limitOf)).toEqual(['$25', '$0.50', '$1,250'])
})

it('says a share of nothing as unknown, and a small one not as none', () => {
  expect([
    shareText(0, 0),
    shareText(4, 214),
    shareText(1, 5_000),
    shareText(87, 100),
    shareText(0, 3),
  ]).toEqual([...['–', '1.9 %', '<0.1 %', '87 %', '0 %']])
  expect(rateText(null)).toBe('–')
  expect(rateText(1)).toBe('100 %')
})

it('says what was estimated in its unit', () => {
  expect(quantityText('duration', 300_000)).toBe('5m 00s')
  expect(quantityText('tokens', 41_200)).toBe('41k')
  expect(quantityText('money', 1_840_000)).toBe('$1.84')
  expect(quantityText('count', 212)).toBe('212')
})

it('names round values at an axis in few letters', () => {
  expect([100, 10_000, 600_000, 36_000_000, 345_600_000].map((ms) => tickText('duration', ms))).toEqual([
    ...['100ms', '10s', '10m', '10h', '4d'],
  ])
  expect([10, 10_000, 1_000_000, 1e9].map((n) => tickText('tokens', n))).toEqual(['10', '10k', '1M', '1G'])
  expect([1, 1_000, 100_000, 1_000_000, 1e10].map((n) => tickText('money', n))).toEqual([
    ...['$0.000001', '$0.001', '$0.10', '$1', '$10k'],
  ])
})
