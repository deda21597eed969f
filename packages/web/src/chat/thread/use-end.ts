import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react'

const NEAR_PX = 48

/** Keeps the end in view while one is there; whoever reads further up is left where they are. */
export function useEnd(
  scroll: HTMLElement | null,
  content: RefObject<HTMLElement | null>,
  start: { readonly key: string; readonly isElsewhere: boolean },
): { readonly isAtEnd: boolean; readonly toEnd: () => void } {
  const [isAtEnd, setIsAtEnd] = useState(true)
  const follows = useRef(true)
  const toEnd = useCallback(() => {
    follows.current = true
    setIsAtEnd(true)
    if (scroll) scroll.scrollTop = scroll.scrollHeight
  }, [scroll])
  const { key, isElsewhere } = start
  // biome-ignore lint/correctness/useExhaustiveDependencies: another conversation is read from its end
  useLayoutEffect(() => {
    follows.current = !isElsewhere
    if (!isElsewhere) toEnd()
  }, [key, isElsewhere, toEnd])
  useEffect(() => {
    if (!scroll || !content.current) return
    let last = scroll.scrollTop
    const isNear = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < NEAR_PX
    const onScroll = () => {
      // Going up lets go of the end; what grows below does not.
      if (scroll.scrollTop < last - 1 && !isNear()) follows.current = false
      if (isNear()) follows.current = true
      last = scroll.scrollTop
      setIsAtEnd(isNear() || follows.current)
    }
    const observer = new ResizeObserver(() => {
      if (follows.current) scroll.scrollTop = scroll.scrollHeight
      else setIsAtEnd(isNear())
    })
    observer.observe(content.current)
    observer.observe(scroll)
    scroll.addEventListener('scroll', onScroll, { passive: true })
    return () => {
      observer.disconnect()
      scroll.removeEventListener('scroll', onScroll)
    }
  }, [scroll, content])
  return { isAtEnd, toEnd }
}
