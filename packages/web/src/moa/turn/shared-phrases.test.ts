import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ANSWER, analysis, TEXTS } from '../moa.test-kit.ts'
import { findContradictions, listAnswerMarks, listReferenceMarks, splitAtMarks } from './shared-phrases.ts'

it('splits an answer into own text and phrases shared with references', () => {
  const pieces = splitAtMarks(ANSWER, listAnswerMarks(analysis.phrases))
  expect(
    pieces.filter(({ reference }) => reference !== null).map(({ reference, text }) => [reference, text]),
  ).toEqual([
    [0, 'A rolling deploy leaves old processes writing for minutes'],
    [1, 'Rename the table first'],
    [0, 'revoke write access and watch for errors'],
    [3, 'search other services for the table name'],
  ])
  expect(listReferenceMarks(analysis.phrases, 0).map(({ from, to }) => TEXTS[0].slice(from, to))).toEqual([
    'A rolling deploy leaves old processes writing for minutes',
    'revoke write access and watch for errors',
  ])
})

it('prefers the earlier of overlapping marks, then the longer one', () => {
  const mark = (from: number, to: number, reference: number) => ({ from, to, reference })
  const pieces = splitAtMarks('abcdefgh', [mark(4, 7, 3), mark(1, 3, 0), mark(1, 5, 1), mark(6, 99, 2)])
  expect(pieces.map(({ at, text, reference }) => [at, text, reference])).toEqual([
    [0, 'a', null],
    [1, 'bcde', 1],
    [5, 'f', null],
    [6, 'gh', 2],
  ])
})

it('keeps every character of the text for any marks', () => {
  const mark = fc.record({
    from: fc.integer({ min: -5, max: 80 }),
    to: fc.integer({ min: -5, max: 80 }),
    reference: fc.nat(3),
  })
  fc.assert(
    fc.property(fc.string({ maxLength: 60 }), fc.array(mark, { maxLength: 12 }), (text, marks) => {
      expect(
        splitAtMarks(text, marks)
          .map((piece) => piece.text)
          .join(''),
      ).toBe(text)
    }),
  )
})

it('lists each contradiction once, at the reference that disagrees', () => {
  expect([0, 1, 2, 3].map((which) => findContradictions(analysis.points, which))).toEqual([
    [],
    [],
    [0, 1, 3],
    [],
  ])
  const even = [{ text: 'p', stances: ['says' as const, 'opposes' as const] }]
  expect([0, 1].map((which) => findContradictions(even, which))).toEqual([[], [0]])
})
