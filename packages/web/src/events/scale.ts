/**
 * Where a row is on the scroll bar. Browsers cap the height of an element (Firefox near 17.8 million pixels), so a long
 * list is drawn into a shorter one: one to one near both ends, where people read, and compressed in between.
 */
export interface Scale {
  /** The height of the list if every row had its pixels. */
  readonly full: number
  /** The height of the element that scrolls. */
  readonly drawn: number
  readonly toFull: (drawnTop: number) => number
  readonly toDrawn: (fullTop: number) => number
}

const TALLEST = 6_000_000
const EDGE = 1_000_000

export function scaleOf(rows: number, rowHeight: number): Scale {
  const full = rows * rowHeight
  if (full <= TALLEST) {
    const same = (top: number) => clamp(top, full)
    return { full, drawn: full, toFull: same, toDrawn: same }
  }
  const ratio = (full - 2 * EDGE) / (TALLEST - 2 * EDGE)
  return {
    full,
    drawn: TALLEST,
    toFull: (drawnTop) => {
      const top = clamp(drawnTop, TALLEST)
      if (top <= EDGE) return top
      if (top >= TALLEST - EDGE) return full - (TALLEST - top)
      return EDGE + (top - EDGE) * ratio
    },
    toDrawn: (fullTop) => {
      const top = clamp(fullTop, full)
      if (top <= EDGE) return top
      if (top >= full - EDGE) return TALLEST - (full - top)
      return EDGE + (top - EDGE) / ratio
    },
  }
}

/** What is in view: `top` in pixels of the full list; `shift` is what to take off to draw it. */
export interface View {
  readonly top: number
  readonly shift: number
}

/**
 * After a scroll event. A small step moves by as many pixels as the wheel said, so that no row is skipped; a jump (the
 * thumb was dragged) goes to where the thumb points.
 */
export function scrolled(scale: Scale, before: View, drawnTop: number, viewport: number): View {
  const step = drawnTop - (before.top - before.shift)
  const small = Math.abs(step) <= 2 * viewport
  const lowest = Math.max(0, scale.full - viewport)
  const aimed = small ? before.top + step : scale.toFull(drawnTop)
  const top = Math.min(Math.max(0, aimed), lowest)
  return { top, shift: top - drawnTop }
}

/** Where the scroll bar should stand for what is in view, once scrolling has stopped. */
export const settled = (scale: Scale, view: View): View => ({
  top: view.top,
  shift: view.top - Math.round(scale.toDrawn(view.top)),
})

const clamp = (value: number, most: number): number => Math.min(Math.max(0, value), most)
