import { streamFrame, streamQuery } from '@panoptes/schema'
import { z } from 'zod'
import type { Kit } from '../kit.ts'
import { type Metric, metricsText } from '../metrics.ts'
import { openApiDocument } from '../openapi.ts'
import { refusalOf } from '../problem.ts'
import { JSON_TYPE, json, type Route, route } from '../route.ts'

/** What machines ask for: the description of all routes, figures, and the stream. */
export function machineRoutes(kit: Kit, all: () => readonly Route[]): readonly Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/openapi.json',
      scope: 'full',
      summary: 'This description.',
      reply: { type: JSON_TYPE, schema: z.looseObject({ openapi: z.string() }) },
      answer: () => json(openApiDocument(all(), kit.options.version)),
    }),
    route({
      method: 'GET',
      path: '/metrics',
      scope: 'full',
      summary: 'Figures for Prometheus.',
      reply: { type: 'text/plain' },
      answer: async () => {
        const info = await kit.options.ledger.info()
        if (!info.ok) return refusalOf(info)
        const text = metricsText(figures(kit, info.value.bytes, info.value.head.last))
        return new Response(text, { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } })
      },
    }),
    {
      method: 'GET',
      path: '/stream',
      scope: 'full',
      summary: 'A WebSocket: the living agents first, then every event as a JSON frame.',
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

function figures(
  { flow: { totals }, stream, appendTime, loopDelay, startedAt, gauges, requests }: Kit,
  bytes: number,
  head: number,
): Metric[] {
  const { rss, heapUsed } = process.memoryUsage()
  const counter = (name: string, help: string, value: number): Metric => ({
    name,
    type: 'counter',
    help,
    value,
  })
  const gauge = (name: string, help: string, value: number): Metric => ({ name, type: 'gauge', help, value })
  return [
    counter('panoptes_events_appended_total', 'Events stored.', totals.appended),
    counter('panoptes_events_duplicate_total', 'Events that were known already.', totals.duplicates),
    counter('panoptes_events_rejected_total', 'Lines that were no events.', totals.rejected),
    gauge('panoptes_stream_clients', 'Clients of the stream.', stream.clients()),
    counter('panoptes_stream_frames_total', 'Frames sent to clients of the stream.', totals.frames),
    counter('panoptes_stream_gaps_total', 'Times a client was told that it missed events.', totals.gaps),
    counter('panoptes_stream_missed_total', 'Events that clients missed.', totals.missed),
    {
      name: 'panoptes_append_seconds',
      type: 'histogram',
      help: 'Time to store one batch of events.',
      value: appendTime,
    },
    ...gauges
      .flatMap((read) => read())
      .map(({ name, type, help, value }) => (type === 'counter' ? counter : gauge)(name, help, value)),
    gauge(
      'panoptes_requests_waiting',
      'Agents that wait for an answer from the page.',
      requests.list().length,
    ),
    gauge('panoptes_ledger_bytes', 'Size of the ledger on disk.', bytes),
    gauge('panoptes_ledger_head_seq', 'The last seq of the ledger.', head),
    gauge('process_resident_memory_bytes', 'Resident memory.', rss),
    gauge('nodejs_heap_used_bytes', 'Used heap.', heapUsed),
    gauge(
      'nodejs_eventloop_lag_p99_seconds',
      'Delay of the event loop, 99th percentile.',
      loopDelay.percentile(99) / 1e9,
    ),
    gauge('panoptes_uptime_seconds', 'Seconds since the start.', (Date.now() - startedAt) / 1_000),
  ]
}
