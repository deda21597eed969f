import fc from 'fast-check'
import { expect, it } from 'vitest'
import { match } from './match.ts'

it('marks the letters that were typed', () => {
  expect(match('led', 'Back up the ledger', 'last 03:00')).toEqual({ rank: 1, title: [[12, 15]], hint: [] })
})

it('finds hints too, after titles', () => {
  const hint = match('size', 'Settings › Storage', 'ledger size')
  expect(hint).toEqual({ rank: 3, title: [], hint: [[7, 11]] })
})

it('ranks the start of a word before its middle, and scattered letters last', () => {
  const ranks = ['Event', 'Prevent', 'Even test'].map((title) => match('event', title, '')?.rank)
  expect(ranks).toEqual([1, 2, 5])
  expect(match('cpj', 'Check projections', '')?.rank).toBe(5)
})

it('finds nothing where a letter is missing', () => {
  expect(match('xyz', 'Events', 'every event')).toBeNull()
})

it('marks only letters that are there, in order', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 6 }), fc.string({ maxLength: 30 }), (typed, title) => {
      let end = 0
      for (const [from, to] of match(typed, title, '')?.title ?? []) {
        expect(from).toBeGreaterThanOrEqual(end)
        expect(to).toBeGreaterThan(from)
        end = to
      }
    }),
  )
})
