import { streamFrame, streamQuery } from '@panoptes/schema'
import { z } from 'zod'
import { figures } from '../figures.ts'
import type { Kit } from '../kit.ts'
import { metricsText } from '../metrics.ts'
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
      scope: 'metrics',
      summary: 'Figures for Prometheus.',
      reply: { type: 'text/plain' },
      answer: async () => {
        const info = await kit.options.ledger.info()
        if (!info.ok) return refusalOf(info)
        const text = metricsText(figures(kit, info.value))
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
