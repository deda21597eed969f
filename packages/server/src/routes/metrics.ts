import type { StoreInfo } from '@panoptes/engine/store'
import { streamFrame, streamQuery } from '@panoptes/schema'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import { type Labels, type Metric, metricsText } from '../metrics.ts'
import { openApiDocument } from '../openapi.ts'
import { toRefusal } from '../problem.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'

/** Endpoints for machines: the OpenAPI description, metrics, and the stream. */
export function metricsRoutes(context: AppContext, all: () => readonly Route[]): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/openapi.json',
      scope: 'full',
      summary: 'This description.',
      reply: { type: JSON_TYPE, schema: z.looseObject({ openapi: z.string() }) },
      answer: () => json(openApiDocument(all(), context.options.version)),
    }),
    route({
      method: 'GET',
      path: '/metrics',
      scope: 'metrics',
      summary: 'Metrics for Prometheus.',
      reply: { type: 'text/plain' },
      answer: async () => {
        const info = await context.options.store.info()
        if (!info.ok) return toRefusal(info)
        const text = metricsText(collectMetrics(context, info.value))
        return new Response(text, { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } })
      },
    }),
    {
      method: 'GET',
      path: '/stream',
      scope: 'full',
      summary: 'A WebSocket that sends the running agents, then every event as a JSON frame.',
      query: streamQuery,
      reply: { type: JSON_TYPE, schema: streamFrame, status: 101 },
      answer: () => ({
        status: 426,
        code: 'upgrade_required',
        title: 'Upgrade required',
        detail: '/stream is a WebSocket.',
        next: 'Connect with a WebSocket client.',
        headers: { upgrade: 'websocket', connection: 'upgrade' },
      }),
    },
  ]
}

type MetricValue = readonly [name: string, help: string, value: number]

const toCounter =
  (labels?: Labels) =>
  ([name, help, value]: MetricValue): Metric => ({ name, type: 'counter', help, labels, value })
const toGauge =
  (labels?: Labels) =>
  ([name, help, value]: MetricValue): Metric => ({ name, type: 'gauge', help, labels, value })

/**
 * Collects everything that can be scraped: the metrics of the space, labelled with its name on a hub, and those of
 * the process.
 */
function collectMetrics(context: AppContext, info: StoreInfo): readonly Metric[] {
  const labels = context.people === undefined ? undefined : { space: context.space }
  return [...spaceMetrics(context, info, labels), ...processMetrics(context)]
}

function spaceMetrics(
  context: AppContext,
  { bytes, head, lastTs }: StoreInfo,
  labels: Labels | undefined,
): readonly Metric[] {
  const { flow, stream, options } = context
  const { totals } = flow
  const { lag_p50_ms, lag_p99_ms } = flow.info(0)
  const { waiting, pool } = options.store.load()
  const readings = context.gauges.flatMap((read) => read())
  return [
    ...(
      [
        ['panoptes_events_appended_total', 'Events stored.', totals.appended],
        ['panoptes_events_duplicate_total', 'Events that were already stored.', totals.duplicates],
        ['panoptes_events_rejected_total', 'Lines rejected because they are not events.', totals.rejected],
        ['panoptes_stream_frames_total', 'Frames sent to stream clients.', totals.frames],
        ['panoptes_stream_gaps_total', 'Times a stream client was told that it missed events.', totals.gaps],
        ['panoptes_stream_missed_total', 'Events that stream clients missed.', totals.missed],
      ] as const
    ).map(toCounter(labels)),
    {
      name: 'panoptes_append_seconds',
      type: 'histogram',
      help: 'Time to store one batch of events.',
      labels,
      value: context.appendTime,
    },
    ...(
      [
        ['panoptes_stream_clients', 'Connected stream clients.', stream.clients()],
        [
          'panoptes_stream_behind_events',
          'Stored events that this process has not sent to the stream yet.',
          Math.max(0, head.last - stream.head()),
        ],
        [
          'panoptes_stream_lag_p50_seconds',
          'Time from an event to its delivery to the stream, median of the last minute.',
          (lag_p50_ms ?? 0) / 1_000,
        ],
        [
          'panoptes_stream_lag_p99_seconds',
          'Time from an event to its delivery to the stream, 99th percentile of the last minute.',
          (lag_p99_ms ?? 0) / 1_000,
        ],
        ['panoptes_append_waiting_events', 'Accepted events that are not stored yet.', waiting.events],
        [
          'panoptes_append_waiting_bytes',
          'Size of the accepted events that are not stored yet.',
          waiting.bytes,
        ],
        [
          'panoptes_requests_waiting',
          'Agent requests that wait for an answer from the page.',
          context.requests.list().length,
        ],
        ['panoptes_ledger_bytes', 'Size of the store on disk.', bytes],
        ['panoptes_ledger_head_seq', 'Number (seq) of the newest stored event.', head.last],
        [
          'panoptes_ledger_newest_age_seconds',
          'Age of the newest stored event.',
          lastTs === null ? 0 : Math.max(0, (Date.now() - lastTs) / 1_000),
        ],
        ...(pool === null
          ? []
          : ([
              ['panoptes_database_connections', 'Open database connections.', pool.open],
              ['panoptes_database_connections_idle', 'Open database connections that are idle.', pool.idle],
              [
                'panoptes_database_connections_wanted',
                'Operations that wait for a database connection.',
                pool.waiting,
              ],
            ] as const)),
      ] as const
    ).map(toGauge(labels)),
    ...readings.map(({ name, type, help, value }) =>
      (type === 'counter' ? toCounter : toGauge)(labels)([name, help, value]),
    ),
  ]
}

function processMetrics({ requestMetrics, loopDelay, startedAt }: AppContext): readonly Metric[] {
  const { rss, heapUsed } = process.memoryUsage()
  const { user, system } = process.cpuUsage()
  const lag = loopDelay.readP99()
  return [
    ...requestMetrics.metrics(),
    toCounter()(['process_cpu_seconds_total', 'Processor time.', (user + system) / 1e6]),
    ...(
      [
        ['process_resident_memory_bytes', 'Resident memory.', rss],
        ['nodejs_heap_used_bytes', 'Used heap.', heapUsed],
        ...(lag === undefined
          ? []
          : ([['nodejs_eventloop_lag_p99_seconds', 'Event loop delay, 99th percentile.', lag]] as const)),
        ['panoptes_uptime_seconds', 'Seconds since Panoptes started.', (Date.now() - startedAt) / 1_000],
      ] as const
    ).map(toGauge()),
  ]
}
