import { expect, it } from 'vitest'
import { formatMicroUsd, limitText, moneyText, partText, quantityText, rateText, tickText } from './format.ts'

it('shows the known part of a sum and a dash when nothing is known', () => {
  expect(moneyText(14_820_000, 0)).toBe('$14.82')
  expect(moneyText(14_820_000, 2)).toBe('$14.82 + 2 unknown')
  expect(moneyText(0, 2)).toBe('–')
  expect(moneyText(null, 0)).toBe('–')
  expect(moneyText(0, 0)).toBe('$0.00')
})

it('shows a negative amount with its sign', () => {
  expect(formatMicroUsd(-1_500_000)).toBe('−$1.50')
})

it('formats a limit as it was set', () => {
  expect([25_000_000, 500_000, 1_250_000_000].map(limitText)).toEqual(['$25', '$0.50', '$1,250'])
})

it('shows a share as a count, a percentage or a dash, and never rounds it to zero', () => {
  expect([
    partText(0, 0),
    partText(2, 4),
    partText(0, 3),
    partText(4, 214),
    partText(1, 5_000),
    partText(87, 100),
  ]).toEqual([...['–', '2 of 4', '0 of 3', '1.9 %', '<0.1 %', '87 %']])
  expect(rateText(null)).toBe('–')
  expect(rateText(1)).toBe('100 %')
})

it('formats an estimate in its unit', () => {
  expect(quantityText('duration', 300_000)).toBe('5m 00s')
  expect(quantityText('tokens', 41_200)).toBe('41k')
  expect(quantityText('money', 1_840_000)).toBe('$1.84')
  expect(quantityText('count', 212)).toBe('212')
})

it('shortens axis labels', () => {
  expect([100, 10_000, 600_000, 36_000_000, 345_600_000].map((ms) => tickText('duration', ms))).toEqual([
    ...['100ms', '10s', '10m', '10h', '4d'],
  ])
  expect([10, 10_000, 1_000_000, 1e9].map((n) => tickText('tokens', n))).toEqual(['10', '10k', '1M', '1G'])
  expect([1, 1_000, 100_000, 1_000_000, 1e10].map((n) => tickText('money', n))).toEqual([
    ...['$0.000001', '$0.001', '$0.10', '$1', '$10k'],
  ])
})
