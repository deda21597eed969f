import { useCallback, useEffect, useState } from 'react'
import { type ClockMove, LIVE, moveClock, type ReplayClock } from './clock.ts'
import { TICK_MS } from './use-past.ts'

/** The clock of a page, which ticks while it plays. `end` is where playing stops. */
export function useClock(
  live: boolean,
  start: number | null,
  end: () => number,
): readonly [ReplayClock, (move: ClockMove) => void] {
  const [clock, setClock] = useState<ReplayClock>({ ...LIVE, at: start })
  const move = useCallback((next: ClockMove) => setClock((before) => moveClock(before, next, live)), [live])
  const { playing } = clock
  useEffect(() => {
    if (!playing) return
    const timer = setInterval(() => move({ type: 'tick', ms: TICK_MS, end: end() }), TICK_MS)
    return () => clearInterval(timer)
  }, [playing, move, end])
  return [clock, move]
}
