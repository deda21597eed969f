import { useEffect } from 'react'

/** Where each of them was last scrolled to. */
const tops = new WeakMap<HTMLElement, number>()

/** Remembers where someone reads. */
export function useKnownPlace(scroll: HTMLElement | null): void {
  useEffect(() => {
    if (!scroll) return
    const note = () => void tops.set(scroll, scroll.scrollTop)
    note()
    scroll.addEventListener('scroll', note, { passive: true })
    return () => scroll.removeEventListener('scroll', note)
  }, [scroll])
}

/**
 * What is read below an element must not move when it takes its own height. Where several above it have become less at once, the browser
 * has already moved to the end of what is left: the place is then where it was before, not where it is.
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
