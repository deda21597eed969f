import { useEffect, useState } from 'react'

const SOON_MS = 400

/** Whether one has waited for a while: what comes sooner needs no word before it. */
export function useSlow(): boolean {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SOON_MS)
    return () => clearTimeout(timer)
  }, [])
  return slow
}
