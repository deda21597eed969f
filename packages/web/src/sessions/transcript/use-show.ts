import { useEffect } from 'react'

const LONGEST_MS = 15_000
const STEADY_FRAMES = 4

/**
 * Scrolls a message into view. Until it is drawn, it scrolls to the elements that will contain it, which then
 * load; `places` are their ids, the message's own first. It stops once the message rests or when someone
 * scrolls.
 */
export function useShow(scroll: HTMLElement | null, places: readonly string[]): void {
  const key = places.join(' ')
  useEffect(() => {
    if (!scroll || key === '') return
    const [own = '', ...around] = key.split(' ')
    const end = performance.now() + LONGEST_MS
    let steady = 0
    let frame = 0
    const stop = () => cancelAnimationFrame(frame)
    const look = () => {
      const message = document.getElementById(own)
      const found = message ?? around.map((id) => document.getElementById(id)).find((one) => one !== null)
      const before = scroll.scrollTop
      found?.scrollIntoView({ block: message ? 'center' : 'start' })
      steady = message && Math.abs(scroll.scrollTop - before) < 1 ? steady + 1 : 0
      if (steady < STEADY_FRAMES && performance.now() < end) frame = requestAnimationFrame(look)
    }
    look()
    for (const kind of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
      scroll.addEventListener(kind, stop, { passive: true, once: true })
    return () => {
      stop()
      for (const kind of ['wheel', 'touchmove', 'pointerdown', 'keydown'])
        scroll.removeEventListener(kind, stop)
    }
  }, [scroll, key])
}
