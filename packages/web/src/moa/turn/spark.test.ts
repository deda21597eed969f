import { expect, it } from 'vitest'
import { sparkOf } from './spark.ts'

const BOX = { width: 104, height: 20, pad: 2 }

it('goes through every value, leaves a gap where one failed, and marks one', () => {
  const { line, gaps, mark } = sparkOf([10, null, 20, 10], BOX, 10)
  expect(line).toBe('M2 10M68.7 2L102 10')
  expect(gaps).toEqual([35.3])
  expect(mark).toEqual({ x: 102, y: 10 })
})

it('draws nothing of nothing', () => {
  expect(sparkOf([], BOX, 5)).toEqual({ line: '', gaps: [], mark: null })
  expect(sparkOf([null], BOX, null)).toEqual({ line: '', gaps: [102], mark: null })
  expect(sparkOf([7], BOX, 7).mark).toEqual({ x: 102, y: 2 })
})
