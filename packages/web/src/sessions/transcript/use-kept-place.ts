import { useLayoutEffect, useRef } from 'react'

interface Place {
  readonly from: number | undefined
  /** The first message that was shown, and how far it was from the top of what scrolls. */
  readonly first: Element | null
  readonly away: number
}

/** When earlier messages are put before those that are shown, what is being read stays where it is. */
export function useKeptPlace(scroll: HTMLElement | null, from: number | undefined): void {
  const before = useRef<Place>({ from, first: null, away: 0 })
  useLayoutEffect(() => {
    if (!scroll) return
    const awayOf = (one: Element) => one.getBoundingClientRect().top - scroll.getBoundingClientRect().top
    const last = before.current
    if (last.first?.isConnected && last.from !== undefined && from !== undefined && from < last.from)
      scroll.scrollTop += awayOf(last.first) - last.away
    const keep = () => {
      const first = scroll.querySelector('[data-entry]')
      before.current = { from, first, away: first ? awayOf(first) : 0 }
    }
    keep()
    scroll.addEventListener('scroll', keep, { passive: true })
    return () => scroll.removeEventListener('scroll', keep)
  }, [scroll, from])
}
