import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type PackedRow, packRows, unpackRows } from './packed-rows.ts'

const row = (n: number, doc: string): PackedRow => ({
  group: `g${n}`,
  key: `k${n}`,
  tag: 'alive',
  order: n,
  doc,
})

describe('packed rows', () => {
  it('unpack unchanged, whatever their names', () => {
    const name = fc.string({ unit: 'binary' }).map((text) => text.toWellFormed())
    const rows = fc.record({
      group: name,
      key: name,
      tag: fc.constantFrom('', 'alive', 'ended'),
      order: fc.integer(),
      doc: fc.json(),
    })
    fc.assert(
      fc.property(fc.array(rows), (all) => {
        expect(unpackRows(packRows(all))).toEqual(all)
      }),
    )
  })

  it.each([0, 1, 2, 3, 5])('unpack from %i chunks and more', (parts) => {
    const doc = JSON.stringify('ä'.repeat(262_142))
    const rows = Array.from({ length: 4 * parts }, (_, n) => row(n, doc))
    expect(unpackRows(packRows(rows))).toEqual(rows)
    expect(unpackRows(packRows([...rows, row(-1, '{}')]))).toEqual([...rows, row(-1, '{}')])
  })
})
