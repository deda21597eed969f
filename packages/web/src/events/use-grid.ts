import { clamp } from '@panoptes/schema/numbers'
import { type KeyboardEvent, type RefObject, useCallback, useRef, useState } from 'react'
import { useKeys } from '../shell/use-keys.ts'
import { useRowWindow } from './use-row-window.ts'

interface GridOptions {
  readonly rows: number
  readonly rowHeight: number
  readonly head: number
  /** How many rows Page Up and Page Down move. */
  readonly pageRows: number
  readonly onOpen: (index: number) => void
  /** Whether `j` and `k` move through it wherever the focus is. */
  readonly letters: boolean
  /** The initially selected row. */
  readonly marked?: number
}

/** A long table whose rows are selected by key, one at a time, and opened by a click or a key. */
export function useGrid(grid: RefObject<HTMLTableElement | null>, options: GridOptions) {
  const { rows, rowHeight, head, pageRows, onOpen, letters, marked = 0 } = options
  const [box, setBox] = useState<HTMLTableElement | null>(null)
  const [active, setActive] = useState(marked)
  const ref = useCallback(
    (element: HTMLTableElement | null) => {
      setBox(element)
      grid.current = element
    },
    [grid],
  )
  const view = useRowWindow(box, { rows, rowHeight, head })
  const { toRow } = view
  const latest = useRef({ rows, onOpen })
  latest.current = { rows, onOpen }
  const mark = useCallback(
    (index: number) => {
      const next = clamp(index, 0, latest.current.rows - 1)
      setActive(next)
      toRow(next)
    },
    [toRow],
  )
  const openAt = useCallback((index: number) => {
    setActive(index)
    latest.current.onOpen(index)
  }, [])
  const at = Math.min(active, rows - 1)
  const onKeyDown = (event: KeyboardEvent) => {
    const step = rowStep(event.key, pageRows)
    if (event.key === 'Enter') openAt(at)
    else if (step !== undefined) mark(at + step)
    else return
    event.preventDefault()
  }
  const step = (by: 1 | -1) => () => {
    // The first key press selects the row that is marked already.
    mark(document.activeElement === box ? at + by : at)
    box?.focus({ preventScroll: true })
  }
  useKeys(letters ? { j: step(1), k: step(-1) } : {})
  return { view, at, mark, openAt, table: { ref, onKeyDown, onScroll: view.onScroll } }
}

const STEPS: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
}

const rowStep = (key: string, pageRows: number): number | undefined =>
  key === 'PageDown' ? pageRows : key === 'PageUp' ? -pageRows : STEPS[key]
