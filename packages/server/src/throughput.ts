import type { EventRow } from '@panoptes/engine/store'
import type { FlowInfo, RejectedLine } from '@panoptes/schema'

const SECONDS = 60
const MOST_LAGS = 2_048
const LAGS_A_PAGE = 32
/** An event with an older timestamp is history that arrives late, not a slow stream. */
const FRESH_MS = 60_000

/** Totals of incoming and outgoing events since the process started. */
export interface Totals {
  appended: number
  duplicates: number
  rejected: number
  missed: number
  gaps: number
  frames: number
}

/** Measures throughput and lag. Its cost per event is negligible. */
export interface Flow {
  readonly totals: Totals
  readonly countRows: (rows: readonly EventRow[]) => void
  readonly countRejected: (count: number, last: RejectedLine | undefined) => void
  readonly info: (clients: number) => FlowInfo
}

export function createFlow(now: () => number = Date.now): Flow {
  const totals: Totals = { appended: 0, duplicates: 0, rejected: 0, missed: 0, gaps: 0, frames: 0 }
  const seconds = new Map<number, number>()
  const lags: { at: number; ms: number }[] = []
  let nextLag = 0
  let lastRejected: RejectedLine | null = null

  const measure = (rows: readonly EventRow[], at: number) => {
    const step = Math.max(1, Math.floor(rows.length / LAGS_A_PAGE))
    for (let index = rows.length - 1; index >= 0; index -= step) {
      const ts = readTimestamp((rows[index] as EventRow).json)
      if (ts === undefined || Math.abs(at - ts) > FRESH_MS) continue
      lags[nextLag] = { at, ms: Math.max(0, at - ts) }
      nextLag = (nextLag + 1) % MOST_LAGS
    }
  }

  return {
    totals,
    countRows: (rows) => {
      const at = now()
      const second = Math.floor(at / 1_000)
      seconds.set(second, (seconds.get(second) ?? 0) + rows.length)
      for (const old of seconds.keys()) {
        if (old >= second - SECONDS) break
        seconds.delete(old)
      }
      measure(rows, at)
    },
    countRejected: (count, last) => {
      totals.rejected += count
      lastRejected = last ?? lastRejected
    },
    info: (clients) => {
      const at = now()
      const second = Math.floor(at / 1_000)
      const history = Array.from(
        { length: SECONDS },
        (_, index) => seconds.get(second - SECONDS + index) ?? 0,
      )
      const fresh = lags.filter((lag) => at - lag.at <= FRESH_MS).map((lag) => lag.ms)
      fresh.sort((a, b) => a - b)
      return {
        events_per_second: history.slice(-5).reduce((sum, count) => sum + count, 0) / 5,
        history,
        lag_p50_ms: percentile(fresh, 0.5),
        lag_p99_ms: percentile(fresh, 0.99),
        clients,
        missed: totals.missed,
        rejected: totals.rejected,
        last_rejected: lastRejected,
      }
    },
  }
}

/** Reads the timestamp from the JSON text. Quotes inside of values are escaped, so the first match is the field. */
function readTimestamp(json: string): number | undefined {
  const at = json.indexOf('"ts":')
  const ts = at < 0 ? Number.NaN : Number.parseInt(json.slice(at + 5, at + 21), 10)
  return Number.isFinite(ts) ? ts : undefined
}

function percentile(sorted: readonly number[], part: number): number | null {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? null
}
