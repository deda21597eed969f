import type { EventFilter } from '@panoptes/engine/ledger'
import {
  type EventsQuery,
  eventsPage,
  eventsQuery,
  exportQuery,
  ingestReply,
  unknownEventInput,
  unknownStoredEvent,
} from '@panoptes/schema'
import { withBytes } from '../body.ts'
import type { Kit } from '../kit.ts'
import { badInput, refusalOf } from '../problem.ts'
import { JSON_TYPE, json, NDJSON_TYPE, type Reply, type Route, route } from '../route.ts'

const BODY_LIMIT = 16_777_216
const EXPORT_PAGE = 1_000

export const eventRoutes = (kit: Kit): readonly Route[] => [postEvents(kit), getEvents(kit), getExport(kit)]

function postEvents(kit: Kit): Route {
  return {
    method: 'POST',
    path: '/events',
    scope: 'ingest',
    published: true,
    summary:
      'Send events: NDJSON, one JSON array or one JSON object, plain or gzip. Good lines are kept whatever the others are.',
    body: { type: NDJSON_TYPE, schema: unknownEventInput },
    reply: { type: JSON_TYPE, schema: ingestReply },
    answer: ({ incoming, caller }) =>
      withBytes(incoming, BODY_LIMIT, async (bytes): Promise<Reply> => {
        const done = await kit.ingest(bytes, (host) => kit.people?.senders.saw(caller, host))
        return done.ok ? json(done.value) : refusalOf(done)
      }),
  }
}

function getEvents({ options: { ledger } }: Kit): Route {
  return route({
    method: 'GET',
    path: '/api/events',
    scope: 'full',
    summary: 'Stored events, a page at a time; the newest first unless `after` says where to start.',
    query: eventsQuery,
    reply: { type: JSON_TYPE, schema: eventsPage },
    answer: async ({ query }) => {
      const { after, before, limit } = query
      if (after !== undefined && before !== undefined) {
        return badInput('query', [{ path: 'before', reason: 'cannot stand together with after' }])
      }
      const range =
        after === undefined ? { before: before ?? Number.MAX_SAFE_INTEGER, limit } : { after, limit }
      const [page, head] = await Promise.all([ledger.read(range, filterOf(query)), ledger.head()])
      if (!page.ok) return refusalOf(page)
      if (!head.ok) return refusalOf(head)
      const { first, last } = head.value
      const rows = page.value.rows.map((row) => row.json).join(',')
      return jsonText(`{"events":[${rows}],"next":${page.value.next},"first":${first},"last":${last}}`)
    },
  })
}

function getExport({ options: { ledger } }: Kit): Route {
  return route({
    method: 'GET',
    path: '/api/export',
    scope: 'full',
    summary: 'Every stored event that the filters let through, oldest first, one a line.',
    query: exportQuery,
    reply: { type: NDJSON_TYPE, schema: unknownStoredEvent },
    answer: async ({ query }) => {
      const head = await ledger.head()
      if (!head.ok) return refusalOf(head)
      const { last } = head.value
      let at: number | null = query.after ?? 0
      const encoder = new TextEncoder()
      const body = new ReadableStream<Uint8Array>(
        {
          // Pulled by the reader: a slow one costs one page.
          pull: async (stream) => {
            while (at !== null) {
              const page = await ledger.read({ after: at, limit: EXPORT_PAGE }, filterOf(query))
              if (!page.ok) return stream.error(new Error(page.message))
              const rows = page.value.rows.filter((row) => row.seq <= last)
              at = rows.length < page.value.rows.length ? null : page.value.next
              if (rows.length === 0) continue
              return stream.enqueue(encoder.encode(`${rows.map((row) => row.json).join('\n')}\n`))
            }
            stream.close()
          },
          cancel: () => {
            at = null
          },
        },
        { highWaterMark: 0 },
      )
      return new Response(body, {
        headers: {
          'content-type': NDJSON_TYPE,
          'content-disposition': 'attachment; filename="panoptes-events.jsonl"',
        },
      })
    },
  })
}

const jsonText = (text: string): Response => new Response(text, { headers: { 'content-type': JSON_TYPE } })

/** A name without a value, as an empty field of a form sends it, asks for nothing. */
const filterOf = (query: Omit<EventsQuery, 'limit' | 'before' | 'after'>): EventFilter => ({
  kinds: query.kind?.length ? query.kind : undefined,
  source: query.source || undefined,
  session: query.session || undefined,
  agent: query.agent || undefined,
  since: query.since,
  until: query.until,
  text: query.text || undefined,
  failed: query.failed,
})
