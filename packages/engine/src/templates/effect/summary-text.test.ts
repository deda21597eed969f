import { expect, it } from 'vitest'
import { formatAmounts, formatCounts, formatPercents } from './summary-text.ts'

it('shows two numbers with enough digits to tell them apart', () => {
  expect(formatPercents(0.08, 0.19)).toEqual(['8 %', '19 %'])
  expect(formatPercents(0.081, 0.084)).toEqual(['8.1 %', '8.4 %'])
  expect(formatPercents(0.5, 0.5)).toEqual(['50 %', '50 %'])
  expect(formatAmounts(21.6, 25.2)).toEqual(['22', '25'])
  expect(formatAmounts(4.21, 4.24)).toEqual(['4.21', '4.24'])
  expect(formatCounts(1_900_000, 412_000)).toEqual(['1.9M', '412k'])
  expect(formatCounts(3_604, 9_999)).toEqual(['3,604', '9,999'])
  expect(formatCounts(1_910_000, 1_920_000)).toEqual(['1,910,000', '1,920,000'])
})
