import { useEffect } from 'react'

/** The last scroll position of each element. */
const tops = new WeakMap<HTMLElement, number>()

/** Records the scroll position while the reader scrolls. */
export function useScrollMemory(scroll: HTMLElement | null): void {
  useEffect(() => {
    if (!scroll) return
    const note = () => void tops.set(scroll, scroll.scrollTop)
    note()
    scroll.addEventListener('scroll', note, { passive: true })
    return () => scroll.removeEventListener('scroll', note)
  }, [scroll])
}

/**
 * Keeps the reader's place when an element above it gets its measured height. If several elements above
 * shrink at once, the browser has already moved to the end of the remaining content, so the recorded position
 * is used instead of the current one.
 */
export function keepPlace(scroll: HTMLElement, above: HTMLElement, grown: number): void {
  const end = scroll.scrollHeight - scroll.clientHeight
  const isCut = scroll.scrollTop >= end - 1
  const from = isCut ? Math.max(scroll.scrollTop, tops.get(scroll) ?? 0) : scroll.scrollTop
  const top = above.getBoundingClientRect().top - scroll.getBoundingClientRect().top + scroll.scrollTop
  if (top >= from) return
  tops.set(scroll, from + grown)
  scroll.scrollTop = from + grown
}
