import { useEffect, useState } from 'react'
import { useMedia } from '../../shell/use-media.ts'

const OFTEN_MS = 80
const CALM_MS = 1_000

/**
 * The current time while something runs, for growing bars; it advances in coarse steps with reduced motion.
 */
export function useAnimationTime(runs: boolean): number {
  const calm = useMedia('(prefers-reduced-motion: reduce)')
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (!runs) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), calm ? CALM_MS : OFTEN_MS)
    return () => clearInterval(timer)
  }, [runs, calm])
  return now
}
