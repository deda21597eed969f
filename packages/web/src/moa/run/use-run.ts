import type { MoaRunPart, MoaTurn } from '@panoptes/schema'
import { useCallback, useEffect, useRef, useState } from 'react'
import { post, readLines } from '../../api/request.ts'
import { errorText } from '../../sessions/strips.tsx'
import { words } from '../../words.ts'
import { invalidateMoa } from '../queries.ts'
import { applyPart, failRun, type RunState, startRun, stopRun } from './run-state.ts'

export interface Run {
  readonly state: RunState | null
  readonly start: (path: '/api/moa/run' | '/api/moa/replay', body: object) => void
  readonly stop: () => void
  readonly clear: () => void
}

/** Runs a turn and follows it. Stopping it or leaving the page stops it on the server, too. */
export function useRun(onEnd?: (turn: MoaTurn) => void): Run {
  const [state, setState] = useState<RunState | null>(null)
  const running = useRef<AbortController | null>(null)
  const onEndRef = useRef(onEnd)
  onEndRef.current = onEnd
  useEffect(() => () => running.current?.abort(), [])
  const start = useCallback((path: string, body: object) => {
    running.current?.abort()
    const abort = new AbortController()
    running.current = abort
    let now = startRun(Date.now())
    const show = (next: RunState) => {
      now = next
      if (running.current === abort) setState(next)
    }
    show(now)
    const follow = async () => {
      const answer = await post(path, body, abort.signal)
      for await (const line of readLines(answer))
        show(applyPart(now, JSON.parse(line) as MoaRunPart, Date.now()))
      if (abort.signal.aborted) show(stopRun(now, Date.now()))
      else if (now.phase === 'running') show(failRun(now, words.errors.brokeOff, Date.now()))
    }
    void follow()
      .catch((error: unknown) => {
        if (abort.signal.aborted) show(stopRun(now, Date.now()))
        else show(failRun(now, errorText(error), Date.now()))
      })
      .then(() => {
        void invalidateMoa()
        if (now.phase === 'done' && now.turn && running.current === abort) onEndRef.current?.(now.turn)
      })
  }, [])
  const stop = useCallback(() => running.current?.abort(), [])
  const clear = useCallback(() => {
    running.current?.abort()
    running.current = null
    setState(null)
  }, [])
  return { state, start, stop, clear }
}
