import { expect, it } from 'vitest'
import { type Column, columnsFor } from './columns.ts'

const columns: readonly Column<string>[] = [
  { name: 'agent', track: '1fr', cell: (row) => row },
  { name: 'tokens', track: '60px', from: 900, cell: (row) => row },
]
const shown = (width: number) => columnsFor(columns, width).map(({ name }) => name)

it('drops columns that do not fit, and all of them when rows become cards', () => {
  expect([1_200, 900, 899, 620].map(shown)).toEqual([
    ['agent', 'tokens'],
    ['agent', 'tokens'],
    ['agent'],
    ['agent'],
  ])
  expect(shown(390)).toEqual([])
})
