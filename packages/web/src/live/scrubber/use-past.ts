import type { ReplayReply } from '@panoptes/schema'
import { useEffect, useRef, useState } from 'react'
import type { PastSource } from '../data/source.ts'
import type { ReplayClock } from './clock.ts'

const DEBOUNCE_MS = 60
export const TICK_MS = 250

export interface PastFrame {
  readonly frame: ReplayReply | null
  readonly failed: boolean
}

const NONE: PastFrame = { frame: null, failed: false }

/** The agents at the clock's moment; the previous frame stays until the next one arrives. */
export function usePast(source: PastSource, clock: ReplayClock): PastFrame {
  const [past, setPast] = useState<PastFrame>(NONE)
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

/** Fetches moments one at a time; requests made meanwhile wait, and only the newest of them is sent. */
interface Frames {
  readonly want: (at: number) => void
  readonly stop: () => void
}

/**
 * Every fetched frame is shown, however slow it was. The clock moves on while a slow frame loads, so dropping
 * late frames would show none at all.
 */
export function createFrames<Frame>(
  read: (at: number) => Promise<Frame>,
  show: (frame: Frame) => void,
  fail: () => void,
): Frames {
  let inFlight: number | null = null
  let wanted: number | null = null
  let stopped = false

  const ask = async (at: number): Promise<void> => {
    inFlight = at
    try {
      const frame = await read(at)
      if (!stopped) show(frame)
    } catch {
      if (!stopped) fail()
    }
    inFlight = null
    const next = wanted
    wanted = null
    if (next !== null && !stopped) void ask(next)
  }

  return {
    want: (at) => {
      if (inFlight === null) void ask(at)
      else wanted = at === inFlight ? null : at
    },
    stop: () => {
      stopped = true
    },
  }
}
