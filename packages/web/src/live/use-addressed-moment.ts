import { useEffect, useRef } from 'react'
import type { ClockMove, ReplayClock } from './scrubber/clock.ts'

const REST_MS = 400

/** Keeps the moment in the address and the clock together: whoever opens the address sees the same moment. */
export function useAddressedMoment(
  clock: ReplayClock,
  address: number | undefined,
  move: (move: ClockMove) => void,
  write: (at: number | undefined) => void,
): void {
  const known = useRef(address)
  useEffect(() => {
    if (address === known.current) return
    known.current = address
    move(address === undefined ? { type: 'live' } : { type: 'seek', at: address })
  }, [address, move])
  const at = clock.at ?? undefined
  const { playing } = clock
  useEffect(() => {
    if (playing || at === known.current) return
    const timer = setTimeout(() => {
      known.current = at
      write(at)
    }, REST_MS)
    return () => clearTimeout(timer)
  }, [at, playing, write])
}
