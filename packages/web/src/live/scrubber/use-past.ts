import type { ReplayReply } from '@panoptes/schema'
import { useEffect, useRef, useState } from 'react'
import type { PastSource } from '../data/source.ts'
import type { ReplayClock } from './clock.ts'
import { createFrames, type Frames } from './frames.ts'

const DEBOUNCE_MS = 60
export const TICK_MS = 250

export interface Past {
  readonly frame: ReplayReply | null
  readonly failed: boolean
}

const NONE: Past = { frame: null, failed: false }

/** The agents at the moment the clock shows; the frame before stays until the next one is there. */
export function usePast(source: PastSource, clock: ReplayClock): Past {
  const [past, setPast] = useState<Past>(NONE)
  const frames = useRef<Frames | null>(null)
  const { at, playing } = clock
  const isPast = at !== null
  useEffect(() => {
    if (!isPast) return
    const own = createFrames(
      source.replay,
      (frame) => setPast({ frame, failed: false }),
      () => setPast((before) => ({ ...before, failed: true })),
    )
    frames.current = own
    return () => {
      own.stop()
      setPast(NONE)
    }
  }, [source, isPast])
  useEffect(() => {
    if (at === null) return
    const timer = setTimeout(() => frames.current?.want(at), playing ? 0 : DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [at, playing])
  return isPast ? past : NONE
}
