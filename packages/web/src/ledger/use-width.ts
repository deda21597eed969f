import { useCallback, useLayoutEffect, useState } from 'react'

/** How wide an element is drawn, again whenever that changes; null before it is there. */
export function useWidth(): readonly [width: number | null, ref: (element: HTMLElement | null) => void] {
  const [element, setElement] = useState<HTMLElement | null>(null)
  const [width, setWidth] = useState<number | null>(null)
  useLayoutEffect(() => {
    if (!element) return
    const measure = () => setWidth(element.clientWidth)
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  return [width, useCallback((next: HTMLElement | null) => setElement(next), [])]
}
