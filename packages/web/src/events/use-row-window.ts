import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'
import { scaleOf, scrolled, settled, type View } from './scale.ts'

const OVERSCAN = 8
const SETTLE_MS = 150
const BEFORE_MEASURED = 600

export interface RowWindow {
  /** The rows to draw: from `first` up to, not including, `end`. */
  readonly first: number
  readonly end: number
  /** The rows in sight, without those drawn ahead. */
  readonly top: number
  readonly bottom: number
  /** How far down in the scrolling element the first drawn row lies. */
  readonly offset: number
  readonly height: number
  /** Whether it is known how much is in view: before that, nothing can be scrolled to. */
  readonly measured: boolean
  readonly onScroll: () => void
  readonly toRow: (row: number) => void
  readonly toTop: () => void
}

/** Which rows of a long list are in view, however long it is. `head` is the height of what sticks to the top. */
export function useRowWindow(
  element: HTMLElement | null,
  options: { readonly rows: number; readonly rowHeight: number; readonly head: number },
): RowWindow {
  const { rows, rowHeight, head } = options
  const [view, setView] = useState<View>({ top: 0, shift: 0 })
  const seen = useViewport(element, head)
  const viewport = seen ?? BEFORE_MEASURED
  const scale = scaleOf(rows, rowHeight)
  const now = useRef({ scale, viewport, view })
  now.current = { scale, viewport, view }
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)

  const show = useCallback((next: View) => {
    now.current.view = next
    setView((before) => (before.top === next.top && before.shift === next.shift ? before : next))
  }, [])

  const settle = useCallback(() => {
    if (!element) return
    const next = settled(now.current.scale, now.current.view)
    if (Math.abs(next.top - next.shift - element.scrollTop) < 2) return
    show(next)
    element.scrollTop = next.top - next.shift
  }, [element, show])

  const onScroll = useCallback(() => {
    if (!element) return
    show(scrolled(now.current.scale, now.current.view, element.scrollTop, now.current.viewport))
    clearTimeout(timer.current)
    timer.current = setTimeout(settle, SETTLE_MS)
  }, [element, settle, show])

  const toPixel = useCallback(
    (top: number) => {
      if (!element) return
      const lowest = Math.max(0, now.current.scale.full - now.current.viewport)
      const next = settled(now.current.scale, { top: Math.min(Math.max(0, top), lowest), shift: 0 })
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
