import type { DiffPiece } from '@panoptes/schema'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readablePieces } from './diff-pieces.ts'

const same = (text: string): DiffPiece => ({ type: 'same', text })
const removed = (text: string): DiffPiece => ({ type: 'removed', text })
const added = (text: string): DiffPiece => ({ type: 'added', text })

it('merges a change of several words into one removal and one addition', () => {
  const words = [
    removed('Wait'),
    added('Go'),
    same(' '),
    removed('a day'),
    added('ahead'),
    same(', then look'),
  ]
  expect(readablePieces(words)).toEqual([removed('Wait a day'), added('Go ahead'), same(', then look')])
  expect(readablePieces([same('a '), added('b'), same(' c')])).toEqual([same('a '), added('b'), same(' c')])
})

it('keeps the text of both sides for any change', () => {
  const piece = fc.record({
    type: fc.constantFrom<DiffPiece['type']>('same', 'removed', 'added'),
    text: fc.constantFrom('a', 'b ', ' ', '\n', ''),
  })
  const side = (pieces: readonly DiffPiece[], without: DiffPiece['type']) =>
    pieces
      .flatMap(({ type, text }) => (type === without ? [] : [text]))
      .join('')
      .replace(/\s+/g, '')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      for (const type of ['removed', 'added'] as const)
        expect(side(readablePieces(pieces), type)).toBe(side(pieces, type))
    }),
  )
})
