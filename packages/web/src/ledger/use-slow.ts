import { useEffect, useState } from 'react'

const SOON_MS = 400

/** Whether a wait is long enough to show a loading state; shorter ones would only flicker. */
export function useSlow(): boolean {
  const [slow, setSlow] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), SOON_MS)
    return () => clearTimeout(timer)
  }, [])
  return slow
}
