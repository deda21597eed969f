import type { Result } from '@panoptes/schema'
import { type Finding, failed, ok, warning } from '../check.ts'
import { ago, number, sized } from './size.ts'

/** What the bus room tells; a room knows of no other. */
export interface BusSeen {
  readonly where: string
  readonly version: string
  readonly round_trip_ms: number
  readonly streams: readonly {
    readonly space: string
    readonly waiting: number
    readonly waiting_bytes: number
    readonly most_bytes: number
    readonly lag_ms: number
    readonly replicas: number
    readonly behind: number
    readonly written: boolean
    readonly refused: number
  }[]
}

const LATE_MS = 30_000

export function busFinding(seen: Result<BusSeen>): Finding {
  if (!seen.ok)
    return failed(
      'The bus does not answer',
      seen.message,
      'Start NATS, or correct --bus. Hubs take no events until then: whoever sends keeps them.',
    )
  const { where, version, round_trip_ms, streams } = seen.value
  const shown = streams.map(
    ({ space, waiting, lag_ms, replicas }) =>
      `${space}: ${number(waiting)} waiting${waiting > 0 ? `, the oldest for ${ago(lag_ms)}` : ''}, ${replicas === 1 ? 'one copy' : `${replicas} copies`}`,
  )
  const detail = `NATS ${version} at ${where}, ${round_trip_ms} ms away; ${shown.join('; ') || 'no stream yet'}`
  const full = streams.find(({ waiting_bytes, most_bytes }) => waiting_bytes > most_bytes * 0.8)
  if (full)
    return failed(
      detail,
      `The stream of ${full.space} is nearly full: ${sized(full.waiting_bytes)} of ${sized(full.most_bytes)}`,
      'Look at the database: what waits is written as fast as it takes it.',
    )
  const late = streams.find(({ waiting, lag_ms, written }) => waiting > 0 && (lag_ms > LATE_MS || !written))
  if (late)
    return warning(
      detail,
      late.written
        ? `What came ${ago(late.lag_ms)} ago is not in the ledger yet`
        : `Nobody writes the stream of ${late.space}`,
      late.written
        ? 'The database is too slow, or was away: look at it.'
        : 'See that a hub of that space runs with this bus.',
    )
  const behind = streams.find((stream) => stream.behind > 0)
  if (behind) return warning(detail, 'A server of the cluster is behind or gone', 'Start it again.')
  const refused = streams.find((stream) => stream.refused > 0)
  if (refused)
    return warning(
      detail,
      `The ledger would not have ${number(refused.refused)} events of ${refused.space}`,
      'They are kept for 30 days in the stream that ends in _refused; the log of the hub says why.',
    )
  if (streams.some(({ replicas }) => replicas < 3))
    return warning(
      detail,
      'There is one copy: when that server is lost, what waits is lost with it',
      'Use a cluster of three servers.',
    )
  return ok(detail)
}
