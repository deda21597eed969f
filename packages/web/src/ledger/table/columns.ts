import type { ReactNode } from 'react'

export interface Column<T> {
  readonly name: string
  /** A CSS grid track: 72px, minmax(140px,2fr). */
  readonly track: string
  readonly end?: boolean
  /** The minimum table width at which it is shown. */
  readonly from?: number
  readonly cell: (row: T) => ReactNode
}

/** Below this width a row becomes a card. */
const CARDS_UNDER = 620

/** The columns that fit a table of this width; none if its rows are cards. */
export const columnsFor = <T>(columns: readonly Column<T>[], width: number): readonly Column<T>[] =>
  width < CARDS_UNDER ? [] : columns.filter(({ from = 0 }) => from <= width)
