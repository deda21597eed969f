/** One entry of a Chromium trace with the fields used here. Times are in microseconds. */
export interface TraceEvent {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  readonly ts: number
  readonly dur?: number
  /** The processor time of the thread for this entry. */
  readonly tdur?: number
}

/** The events in which the main thread runs script or collects garbage. */
const SCRIPT = new Set([
  'FunctionCall',
  'EvaluateScript',
  'FireAnimationFrame',
  'FireIdleCallback',
  'TimerFire',
  'EventDispatch',
  'RunMicrotasks',
  'MinorGC',
  'MajorGC',
])
const FRAME = 'BeginMainThreadFrame'

/**
 * Returns the milliseconds of script on the main thread between consecutive frames. It counts processor time,
 * because wall time includes waiting for other work of the machine.
 */
export function scriptPerFrame(events: readonly TraceEvent[]): readonly number[] {
  const page = mainThread(events)
  const own = events.filter((event) => threadOf(event) === page)
  const frames = own.filter(({ name }) => name === FRAME).map(({ ts }) => ts)
  frames.sort((a, b) => a - b)
  const sums = new Array<number>(Math.max(0, frames.length - 1)).fill(0)
  let frame = 0
  for (const { from, cost } of outermost(own)) {
    while (frame < frames.length && (frames[frame + 1] ?? Number.POSITIVE_INFINITY) <= from) frame += 1
    if (from < (frames[0] ?? 0) || frame >= sums.length) continue
    sums[frame] = (sums[frame] ?? 0) + cost / 1_000
  }
  return sums
}

const threadOf = ({ pid, tid }: TraceEvent): string => `${pid}:${tid}`

/** Finds the main thread of the page with the most frames in the trace. */
function mainThread(events: readonly TraceEvent[]): string {
  const counts = new Map<string, number>()
  for (const event of events) {
    if (event.name === FRAME) counts.set(threadOf(event), (counts.get(threadOf(event)) ?? 0) + 1)
  }
  const [most] = [...counts].sort(([, a], [, b]) => b - a)
  return most?.[0] ?? ''
}

/** Drops script that ran inside other script, so that it is counted once. */
function outermost(events: readonly TraceEvent[]): readonly { from: number; cost: number }[] {
  const spans = events
    .filter(({ name, ph }) => ph === 'X' && SCRIPT.has(name))
    .map(({ ts, dur = 0, tdur = dur }) => ({ from: ts, to: ts + dur, cost: tdur }))
    .sort((a, b) => a.from - b.from || b.to - a.to)
  let end = Number.NEGATIVE_INFINITY
  return spans.filter(({ from, to }) => {
    if (from < end) return false
    end = to
    return true
  })
}
