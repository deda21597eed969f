import { expect, it } from 'vitest'
import { buildSpark } from './sparkline-points.ts'

const BOX = { width: 104, height: 20, pad: 2 }

it('draws a line through all values, with gaps for failures and one mark', () => {
  const { line, gaps, mark } = buildSpark([10, null, 20, 10], BOX, 10)
  expect(line).toBe('M2 10M68.7 2L102 10')
  expect(gaps).toEqual([35.3])
  expect(mark).toEqual({ x: 102, y: 10 })
})

it('draws no line through fewer than two values', () => {
  expect(buildSpark([], BOX, 5)).toEqual({ line: '', gaps: [], mark: null })
  expect(buildSpark([null], BOX, null)).toEqual({ line: '', gaps: [102], mark: null })
  expect(buildSpark([7], BOX, 7).mark).toEqual({ x: 102, y: 2 })
})
