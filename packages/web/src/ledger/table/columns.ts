import type { ReactNode } from 'react'

export interface Column<T> {
  readonly name: string
  /** As a track of a grid: 72px, minmax(140px,2fr). */
  readonly track: string
  readonly end?: boolean
  /** From how wide a table on it is shown. */
  readonly from?: number
  readonly cell: (row: T) => ReactNode
}

/** Narrower than this a row is a card. */
const CARDS_UNDER = 620

/** The columns that a table so wide has room for; none where its rows are cards. */
export const columnsFor = <T>(columns: readonly Column<T>[], width: number): readonly Column<T>[] =>
  width < CARDS_UNDER ? [] : columns.filter(({ from = 0 }) => from <= width)
