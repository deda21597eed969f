import { expect, it } from 'vitest'
import { amounts, counts, percents } from './summary-text.ts'

it('shows two numbers with enough digits to tell them apart', () => {
  expect(percents(0.08, 0.19)).toEqual(['8 %', '19 %'])
  expect(percents(0.081, 0.084)).toEqual(['8.1 %', '8.4 %'])
  expect(percents(0.5, 0.5)).toEqual(['50 %', '50 %'])
  expect(amounts(21.6, 25.2)).toEqual(['22', '25'])
  expect(amounts(4.21, 4.24)).toEqual(['4.21', '4.24'])
  expect(counts(1_900_000, 412_000)).toEqual(['1.9M', '412k'])
  expect(counts(3_604, 9_999)).toEqual(['3,604', '9,999'])
  expect(counts(1_910_000, 1_920_000)).toEqual(['1,910,000', '1,920,000'])
})
