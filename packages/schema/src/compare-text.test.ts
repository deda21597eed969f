import { expect, it } from 'vitest'
import { compareText } from './compare-text.ts'

it('compareText orders by code units, not by the locale', () => {
  expect(['b', 'é', 'a', 'Z', 'a', ''].sort(compareText)).toEqual(['', 'Z', 'a', 'a', 'b', 'é'])
  expect(compareText('a', 'a')).toBe(0)
})
