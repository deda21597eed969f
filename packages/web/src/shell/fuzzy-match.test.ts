import fc from 'fast-check'
import { expect, it } from 'vitest'
import { match } from './fuzzy-match.ts'

it('marks the typed letters', () => {
  expect(match('sto', 'Back up the store', 'last 03:00')).toEqual({ rank: 1, title: [[12, 15]], hint: [] })
})

it('finds hints but ranks them after titles', () => {
  const hint = match('size', 'Settings › Storage', 'ledger size')
  expect(hint).toEqual({ rank: 3, title: [], hint: [[7, 11]] })
})

it('ranks word starts before word middles and scattered letters last', () => {
  const ranks = ['Event', 'Prevent', 'Even test'].map((title) => match('event', title, '')?.rank)
  expect(ranks).toEqual([1, 2, 5])
  expect(match('cpj', 'Check projections', '')?.rank).toBe(5)
})

it('finds nothing when a letter is missing', () => {
  expect(match('xyz', 'Events', 'every event')).toBeNull()
})

it('marks only existing ranges, in order', () => {
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
