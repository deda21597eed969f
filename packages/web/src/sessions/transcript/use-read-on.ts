import { type RefCallback, useEffect, useRef, useState } from 'react'

const AHEAD = '800px'

/** Calls `readOn` while the element it is given is near what can be seen. */
export function useReadOn(ready: boolean, readOn: () => void): RefCallback<HTMLElement> {
  const [element, setElement] = useState<HTMLElement | null>(null)
  const [near, setNear] = useState(false)
  const run = useRef(readOn)
  run.current = readOn
  useEffect(() => {
    if (!element) return
    const observer = new IntersectionObserver(([entry]) => setNear(entry?.isIntersecting === true), {
      root: element.parentElement,
      rootMargin: AHEAD,
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [element])
  useEffect(() => {
    if (near && ready) run.current()
  }, [near, ready])
  return setElement
}
