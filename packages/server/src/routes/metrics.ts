import { streamFrame, streamQuery } from '@panoptes/schema'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import { figures } from '../collect-metrics.ts'
import { metricsText } from '../metrics.ts'
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
        const text = metricsText(figures(context, info.value))
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
