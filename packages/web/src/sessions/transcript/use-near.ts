import { type RefObject, useEffect, useRef, useState } from 'react'

const AHEAD = '1200px 0px'

interface Proximity {
  readonly near: boolean
  /** Its height when it was last near the viewport. */
  readonly height: number | null
}

/** Whether an element is visible or close to the viewport. */
export function useNear(root: HTMLElement | null): readonly [RefObject<HTMLDivElement | null>, Proximity] {
  const box = useRef<HTMLDivElement>(null)
  const [state, setState] = useState<Proximity>({ near: false, height: null })
  useEffect(() => {
    const element = box.current
    if (!root || !element) return
    const observer = new IntersectionObserver(
      (entries) => {
        const entry = entries.at(-1)
        if (!entry) return
        setState((before) =>
          before.near === entry.isIntersecting
            ? before
            : {
                near: entry.isIntersecting,
                height: before.near ? entry.boundingClientRect.height : before.height,
              },
        )
      },
      { root, rootMargin: AHEAD },
    )
    observer.observe(element)
    return () => observer.disconnect()
  }, [root])
  return [box, state]
}
