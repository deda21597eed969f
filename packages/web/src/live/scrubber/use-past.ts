import type { ReplayReply } from '@panoptes/schema'
import { useEffect, useState } from 'react'
import type { PastSource } from '../data/source.ts'
import type { ReplayClock } from './clock.ts'

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
  const { at, playing, speed } = clock
  useEffect(() => {
    if (at === null) {
      setPast(NONE)
      return
    }
    let current = true
    const read = () => {
      source.replay(at).then(
        (frame) => current && setPast({ frame, failed: false }),
        () => current && setPast((before) => ({ ...before, failed: true })),
      )
      if (playing) void source.replay(at + TICK_MS * speed).catch(() => undefined)
    }
    const timer = setTimeout(read, playing ? 0 : DEBOUNCE_MS)
    return () => {
      clearTimeout(timer)
      current = false
    }
  }, [source, at, playing, speed])
  return at === null ? NONE : past
}
