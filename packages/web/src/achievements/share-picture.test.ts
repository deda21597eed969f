import fc from 'fast-check'
import { expect, it } from 'vitest'
import { wrap } from './share-picture.ts'

const fits = (line: string) => [...line].length <= 12

it('wraps text at word boundaries', () => {
  expect(wrap('Let Him Cook', fits, 2)).toEqual(['Let Him Cook'])
  expect(wrap('Permission Denied Any%', fits, 2)).toEqual(['Permission', 'Denied Any%'])
})

it('ends text that does not fit in an ellipsis', () => {
  expect(wrap('one two three four five six seven', fits, 2)).toEqual(['one two', 'three four…'])
  expect(wrap('incomprehensibilities', fits, 2)).toEqual(['incomprehen…'])
})

it('never exceeds the line count or the line width for any text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 200 }),
      fc.integer({ min: 1, max: 4 }),
      (text, most) => {
        const lines = wrap(text, fits, most)
        expect(lines.length).toBeLessThanOrEqual(most)
        for (const line of lines) expect(fits(line)).toBe(true)
      },
    ),
  )
})
