import type { Timeline, TimelineMark } from '@panoptes/schema'
import { useCallback } from 'react'
import type { PastSource } from './data/source.ts'
import type { ClockMove, ReplayClock } from './scrubber/clock.ts'
import { jumpTo } from './scrubber/jump.ts'

/** Steps from event to event and jumps from mark to mark. */
export function useTimeTravel(
  source: PastSource,
  clock: ReplayClock,
  timeline: Timeline | null,
  move: (move: ClockMove) => void,
) {
  const { at } = clock
  const step = useCallback(
    (by: -1 | 1) => {
      if (at === null && by > 0) return
      void source.step(at ?? Date.now(), by).then(
        (ts) => {
          if (ts !== null || (by > 0 && source.live)) move({ type: 'step', from: at, to: ts })
        },
        () => undefined,
      )
    },
    [source, at, move],
  )
  const jump = useCallback(
    (kind: TimelineMark['kind'], by: -1 | 1 = 1) => {
      const mark = jumpTo(timeline?.marks ?? [], kind, at, by)
      if (mark) move({ type: 'seek', at: mark.ts })
    },
    [timeline, at, move],
  )
  return { step, jump }
}
