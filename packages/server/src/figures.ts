import type { LedgerInfo } from '@panoptes/engine/ledger'
import type { Kit } from './kit.ts'
import type { Labels, Metric } from './metrics.ts'

type Named = readonly [name: string, help: string, value: number]

const counters =
  (labels?: Labels) =>
  ([name, help, value]: Named): Metric => ({ name, type: 'counter', help, labels, value })
const gauges =
  (labels?: Labels) =>
  ([name, help, value]: Named): Metric => ({ name, type: 'gauge', help, labels, value })

/** All that can be scraped: what is of the space, which is named where there are several, and what is of the process. */
export function figures(kit: Kit, info: LedgerInfo): readonly Metric[] {
  const labels = kit.people === undefined ? undefined : { space: kit.space }
  return [...ofSpace(kit, info, labels), ...ofProcess(kit)]
}

function ofSpace(
  kit: Kit,
  { bytes, head, lastTs }: LedgerInfo,
  labels: Labels | undefined,
): readonly Metric[] {
  const { flow, stream, options } = kit
  const { totals } = flow
  const { lag_p50_ms, lag_p99_ms } = flow.info(0)
  const { waiting, pool } = options.ledger.load()
  const told = kit.gauges.flatMap((read) => read())
  return [
    ...(
      [
        ['panoptes_events_appended_total', 'Events stored.', totals.appended],
        ['panoptes_events_duplicate_total', 'Events that were known already.', totals.duplicates],
        ['panoptes_events_rejected_total', 'Lines that were no events.', totals.rejected],
        ['panoptes_stream_frames_total', 'Frames sent to clients of the stream.', totals.frames],
        ['panoptes_stream_gaps_total', 'Times a client was told that it missed events.', totals.gaps],
        ['panoptes_stream_missed_total', 'Events that clients missed.', totals.missed],
      ] as const
    ).map(counters(labels)),
    {
      name: 'panoptes_append_seconds',
      type: 'histogram',
      help: 'Time to store one batch of events.',
      labels,
      value: kit.appendTime,
    },
    ...(
      [
        ['panoptes_stream_clients', 'Clients of the stream.', stream.clients()],
        [
          'panoptes_stream_behind_events',
          'Events in the ledger that this process has not passed on yet.',
          Math.max(0, head.last - stream.head()),
        ],
        [
          'panoptes_stream_lag_p50_seconds',
          'Time from an event to its being passed on, half of them; of the last minute.',
          (lag_p50_ms ?? 0) / 1_000,
        ],
        ['panoptes_stream_lag_p99_seconds', 'The same, all but one of a hundred.', (lag_p99_ms ?? 0) / 1_000],
        ['panoptes_append_waiting_events', 'Events that are taken in and not stored yet.', waiting.events],
        ['panoptes_append_waiting_bytes', 'What they take.', waiting.bytes],
        [
          'panoptes_requests_waiting',
          'Agents that wait for an answer from the page.',
          kit.requests.list().length,
        ],
        ['panoptes_ledger_bytes', 'Size of the ledger on disk.', bytes],
        ['panoptes_ledger_head_seq', 'The last seq of the ledger.', head.last],
        [
          'panoptes_ledger_newest_age_seconds',
          'Time since the newest event that is stored.',
          lastTs === null ? 0 : Math.max(0, (Date.now() - lastTs) / 1_000),
        ],
        ...(pool === null
          ? []
          : ([
              ['panoptes_database_connections', 'Connections of the ledger that are open.', pool.open],
              ['panoptes_database_connections_idle', 'Those of them that nobody uses.', pool.idle],
              ['panoptes_database_connections_wanted', 'How many wait for one.', pool.waiting],
            ] as const)),
      ] as const
    ).map(gauges(labels)),
    ...told.map(({ name, type, help, value }) =>
      (type === 'counter' ? counters : gauges)(labels)([name, help, value]),
    ),
  ]
}

function ofProcess({ answered, loopDelay, startedAt }: Kit): readonly Metric[] {
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  return [
    ...answered.metrics(),
    counters()(['process_cpu_seconds_total', 'Processor time.', (user + system) / 1e6]),
    ...(
      [
        ['process_resident_memory_bytes', 'Resident memory.', rss],
        ['nodejs_heap_used_bytes', 'Used heap.', heapUsed],
        [
          'nodejs_eventloop_lag_p99_seconds',
          'Delay of the event loop, 99th percentile.',
          loopDelay.percentile(99) / 1e9,
        ],
        ['panoptes_uptime_seconds', 'Seconds since the start.', (Date.now() - startedAt) / 1_000],
      ] as const
    ).map(gauges()),
  ]
}
