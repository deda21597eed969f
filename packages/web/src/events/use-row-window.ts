import { clamp } from '@panoptes/schema/numbers'
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

const OVERSCAN = 8
const SETTLE_MS = 150
const BEFORE_MEASURED = 600

export interface RowWindow {
  /** The rows to draw: from `first` up to, not including, `end`. */
  readonly first: number
  readonly end: number
  /** The visible rows, without those drawn ahead. */
  readonly top: number
  readonly bottom: number
  /** The offset of the first drawn row within the scrolling element. */
  readonly offset: number
  readonly height: number
  /** Whether the size of the view is known; until then nothing can be scrolled to. */
  readonly measured: boolean
  readonly onScroll: () => void
  readonly toRow: (row: number) => void
  readonly toTop: () => void
}

/** The visible rows of a list of any length. `head` is the height of the sticky header. */
export function useRowWindow(
  element: HTMLElement | null,
  options: { readonly rows: number; readonly rowHeight: number; readonly head: number },
): RowWindow {
  const { rows, rowHeight, head } = options
  const [view, setView] = useState<View>({ top: 0, shift: 0 })
  const seen = useViewport(element, head)
  const viewport = seen ?? BEFORE_MEASURED
  const scale = createScale(rows, rowHeight)
  const now = useRef({ scale, viewport, view })
  now.current = { scale, viewport, view }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const show = useCallback((next: View) => {
    now.current.view = next
    setView((before) => (before.top === next.top && before.shift === next.shift ? before : next))
  }, [])

  const settle = useCallback(() => {
    if (!element) return
    const next = settleScroll(now.current.scale, now.current.view)
    if (Math.abs(next.top - next.shift - element.scrollTop) < 2) return
    show(next)
    element.scrollTop = next.top - next.shift
  }, [element, show])

  const onScroll = useCallback(() => {
    if (!element) return
    show(applyScroll(now.current.scale, now.current.view, element.scrollTop, now.current.viewport))
    clearTimeout(timer.current)
    timer.current = setTimeout(settle, SETTLE_MS)
  }, [element, settle, show])

  const toPixel = useCallback(
    (top: number) => {
      if (!element) return
      const lowest = Math.max(0, now.current.scale.full - now.current.viewport)
      const next = settleScroll(now.current.scale, { top: clamp(top, 0, lowest), shift: 0 })
      show(next)
      element.scrollTop = next.top - next.shift
    },
    [element, show],
  )

  const toRow = useCallback(
    (row: number) => {
      const { view: at, viewport: size } = now.current
      const start = row * rowHeight
      const far = start < at.top - size || start > at.top + 2 * size
      if (far) toPixel(start - Math.round((size - rowHeight) / 2))
      else if (start < at.top) toPixel(start)
      else if (start + rowHeight > at.top + size) toPixel(start + rowHeight - size)
    },
    [rowHeight, toPixel],
  )

  useEffect(() => () => clearTimeout(timer.current), [])

  // A list that became shorter must not leave the view beyond its end.
  useLayoutEffect(() => {
    if (now.current.view.top > Math.max(0, rows * rowHeight - viewport)) onScroll()
  }, [rows, rowHeight, viewport, onScroll])

  const top = Math.floor(view.top / rowHeight)
  const bottom = Math.min(rows, Math.ceil((view.top + viewport) / rowHeight))
  const first = Math.max(0, top - OVERSCAN)
  return {
    first,
    end: Math.min(rows, bottom + OVERSCAN),
    top,
    bottom,
    offset: first * rowHeight - view.shift,
    height: scale.drawn,
    measured: seen !== null,
    onScroll,
    toRow,
    toTop: useCallback(() => toPixel(0), [toPixel]),
  }
}

function useViewport(element: HTMLElement | null, head: number): number | null {
  const [height, setHeight] = useState<number | null>(null)
  useLayoutEffect(() => {
    if (!element) return
    const measure = () => setHeight(Math.max(0, element.clientHeight - head))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [element, head])
  return height
}

/**
 * Where a row is on the scroll bar. Browsers cap the height of an element (Firefox near 17.8 million pixels), so a long
 * list is drawn into a shorter one: one to one near both ends, where people read, and compressed in between.
 */
interface Scale {
  /** The height of the list if every row had its pixels. */
  readonly full: number
  /** The height of the element that scrolls. */
  readonly drawn: number
  readonly toFull: (drawnTop: number) => number
  readonly toDrawn: (fullTop: number) => number
}

const TALLEST = 6_000_000
const EDGE = 1_000_000

export function createScale(rows: number, rowHeight: number): Scale {
  const full = rows * rowHeight
  if (full <= TALLEST) {
    const same = (top: number) => clamp(top, 0, full)
    return { full, drawn: full, toFull: same, toDrawn: same }
  }
  const ratio = (full - 2 * EDGE) / (TALLEST - 2 * EDGE)
  return {
    full,
    drawn: TALLEST,
    toFull: (drawnTop) => {
      const top = clamp(drawnTop, 0, TALLEST)
      if (top <= EDGE) return top
      if (top >= TALLEST - EDGE) return full - (TALLEST - top)
      return EDGE + (top - EDGE) * ratio
    },
    toDrawn: (fullTop) => {
      const top = clamp(fullTop, 0, full)
      if (top <= EDGE) return top
      if (top >= full - EDGE) return TALLEST - (full - top)
      return EDGE + (top - EDGE) / ratio
    },
  }
}

/** The view: `top` in pixels of the full list; `shift` is subtracted to draw it. */
interface View {
  readonly top: number
  readonly shift: number
}

/**
 * Applies a scroll event. A small step moves by the exact pixels of the wheel, so that no row is skipped; a
 * jump, as when the thumb is dragged, goes to where the thumb points.
 */
export function applyScroll(scale: Scale, before: View, drawnTop: number, viewport: number): View {
  const step = drawnTop - (before.top - before.shift)
  const small = Math.abs(step) <= 2 * viewport
  const lowest = Math.max(0, scale.full - viewport)
  const aimed = small ? before.top + step : scale.toFull(drawnTop)
  const top = clamp(aimed, 0, lowest)
  return { top, shift: top - drawnTop }
}

/** The scroll bar position for the visible rows, once scrolling has stopped. */
export const settleScroll = (scale: Scale, view: View): View => ({
  top: view.top,
  shift: view.top - Math.round(scale.toDrawn(view.top)),
})
