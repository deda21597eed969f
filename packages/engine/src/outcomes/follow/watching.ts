import type { ReadSessions } from '@panoptes/engine/sources'
import type { EventStore } from '@panoptes/engine/store'
import type { Following } from './following.ts'
import type { Touched } from './touched.ts'

/** How soon changes are read, in milliseconds. */
export interface Pacing {
  /** How long to wait for more changes after the first one. */
  readonly settleMs: number
  /** The least time between two runs. */
  readonly restMs: number
  /** The time until a run that failed is tried again. */
  readonly retryMs: number
}

const PACING: Pacing = { settleMs: 500, restMs: 2_000, retryMs: 30_000 }
/** So many times as long as a run took it rests, but not longer than this. */
const SHARE = 2
const MOST_REST_MS = 10_000
/** Nobody waits longer than a timer can. */
const LONGEST_MS = 3_600_000

interface Watching {
  readonly store: Pick<EventStore, 'subscribe' | 'onTurned'>
  readonly sessions: Pick<ReadSessions, 'onRead'>
  readonly following: Following
  readonly touched: Touched
  readonly pacing?: Pacing | undefined
}

/** Runs when something changed, or is due. Ends when the answer is called. */
export function watchChanges({ store, sessions, following, touched, pacing = PACING }: Watching): () => void {
  const stop = new AbortController()
  let timer: NodeJS.Timeout | undefined
  let due = Number.POSITIVE_INFINITY
  let earliest = 0
  let running = false
  let waiting = false
  const later = (ms: number) => {
    const at = Math.max(performance.now() + Math.min(ms, LONGEST_MS), earliest)
    if (running || stop.signal.aborted || at >= due) return
    clearTimeout(timer)
    due = at
    timer = setTimeout(() => void run(), Math.max(0, at - performance.now())).unref()
  }
  const changed = () => {
    waiting = true
    later(pacing.settleMs)
  }
  const run = async () => {
    running = true
    waiting = false
    due = Number.POSITIVE_INFINITY
    const began = performance.now()
    const ran = await following.run(true)
    running = false
    const rest = Math.min(MOST_REST_MS, SHARE * (performance.now() - began))
    earliest = performance.now() + Math.max(pacing.restMs, rest)
    if (waiting) later(pacing.settleMs)
    if (!ran.ok) later(pacing.retryMs)
    const wait = following.waitMs()
    if (wait !== null) later(wait)
  }
  const unwatch = sessions.onRead((source) => {
    following.mark(source)
    changed()
  })
  const unheard = store.onTurned?.((back) => {
    if (back === undefined) return
    touched.wentBack(back)
    following.knowNothing()
    changed()
  })
  void run().then(() => listen())
  /** The log is followed from where the first run came to. */
  const listen = async () => {
    for await (const rows of store.subscribe(touched.seq, stop.signal)) {
      touched.saw(rows)
      changed()
    }
  }
  return () => {
    stop.abort()
    unheard?.()
    clearTimeout(timer)
    unwatch()
  }
}
