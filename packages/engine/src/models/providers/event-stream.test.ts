import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EventReader } from './openai-stream.ts'

const all = (pieces: readonly string[]) => {
  const reader = new EventReader()
  return pieces.flatMap((piece) => reader.take(piece))
}

describe('event stream', () => {
  it('has names, multi-line data and comments', () => {
    expect(all([': hello\n\nevent: error\ndata: a\ndata:b\nid: 7\n\ndata: c\n\n'])).toEqual([
      { name: 'error', data: 'a\nb' },
      { name: '', data: 'c' },
    ])
  })

  it('yields no incomplete event and none without data', () => {
    expect(all(['event: ping\n\ndata: half'])).toEqual([])
  })

  it('is the same however it is split and however its lines end', () => {
    const datum = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ''))
    fc.assert(
      fc.property(
        fc.array(datum),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.array(fc.nat(50)),
        (data, end, cuts) => {
          let text = data.map((each) => `data: ${each}${end}${end}`).join('')
          const pieces = cuts.map((cut) => {
            const piece = text.slice(0, cut)
            text = text.slice(cut)
            return piece
          })
          expect(all([...pieces, text])).toEqual(data.map((each) => ({ name: '', data: each })))
        },
      ),
    )
  })

  it('stays fast for a line in a hundred thousand pieces', () => {
    const pieces = ['data: ', ...Array.from({ length: 100_000 }, () => 'x'.repeat(10)), '\n\n']
    expect(all(pieces)[0]?.data).toHaveLength(1_000_000)
  }, 10_000)
})
