import { useEffect, useState } from 'react'
import { pageTail } from './page-tail.ts'

/** Long enough to read, even if catching up takes no time. */
const SHOWN_MS = 4_000

/** The number of events that the server could not send, while the list catches up. */
export function useMissed(reading: boolean): number {
  const [missed, setMissed] = useState(0)
  useEffect(
    () =>
      pageTail.listen({
        onBreak: (gap) => {
          if (gap.missed) setMissed((before) => before + gap.to - gap.from + 1)
        },
      }),
    [],
  )
  useEffect(() => {
    if (missed === 0 || reading) return
    const timer = setTimeout(() => setMissed(0), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [missed, reading])
  return missed
}
