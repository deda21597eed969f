import type { Ledger } from '@panoptes/engine/ledger'
import type { SessionSource } from '@panoptes/engine/sources'
import type { Following } from './following.ts'
import type { Touched } from './touched.ts'

/** After a change: so long it is waited for more of them, and so long until the next run at least. */
const CALM_MS = 500
const REST_MS = 2_000
/** So many times as long as a run took it rests, but not longer than this. */
const SHARE = 2
const MOST_REST_MS = 10_000
/** After a run that failed. */
const RETRY_MS = 30_000
/** Nobody waits longer than a timer can. */
const LONGEST_MS = 3_600_000

interface Watching {
  readonly ledger: Pick<Ledger, 'subscribe' | 'onTurned'>
  readonly sources: readonly SessionSource[]
  readonly following: Following
  readonly touched: Touched
}

/** Runs when something changed, or is due. Ends when the answer is called. */
export function watchChanges({ ledger, sources, following, touched }: Watching): () => void {
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
    later(CALM_MS)
  }
  const run = async () => {
    running = true
    waiting = false
    due = Number.POSITIVE_INFINITY
    const began = performance.now()
    const ran = await following.run(true)
    running = false
    const rest = Math.min(MOST_REST_MS, SHARE * (performance.now() - began))
    earliest = performance.now() + Math.max(REST_MS, rest)
    if (waiting) later(CALM_MS)
    if (!ran.ok) later(RETRY_MS)
    const wait = following.waitMs()
    if (wait !== null) later(wait)
  }
  const unwatch = sources.map((source) =>
    source.watch(() => {
      following.mark(source.name)
      changed()
    }),
  )
  const unheard = ledger.onTurned?.((back) => {
    if (back === undefined) return
    touched.wentBack(back)
    following.knowNothing()
    changed()
  })
  void run().then(() => listen())
  /** The log is followed from where the first run came to. */
  const listen = async () => {
    for await (const rows of ledger.subscribe(touched.seq, stop.signal)) {
      touched.saw(rows)
      changed()
    }
  }
  return () => {
    stop.abort()
    unheard?.()
    clearTimeout(timer)
    for (const end of unwatch) end()
  }
}
