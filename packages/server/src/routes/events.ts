import type { EventFilter } from '@panoptes/engine/store'
import {
  type EventsQuery,
  eventsPage,
  eventsQuery,
  exportQuery,
  type Failure,
  ingestReply,
  unknownEventInput,
  unknownStoredEvent,
} from '@panoptes/schema'
import { escapeJsonText } from '@panoptes/schema/shown'
import type { AppContext } from '../app-context.ts'
import { badInput, toRefusal } from '../problem.ts'
import { withBytes } from '../request-body.ts'
import { JSON_TYPE, jsonReply, NDJSON_TYPE, type Reply, type Route, route } from '../route.ts'

const BODY_LIMIT = 16_777_216
const EXPORT_PAGE = 1_000

export const eventRoutes = (context: AppContext): readonly Route[] => [
  postEvents(context),
  getEvents(context),
  getExport(context),
]

function postEvents(context: AppContext): Route {
  return {
    method: 'POST',
    path: '/events',
    scope: 'ingest',
    published: true,
    summary:
      'Send events as NDJSON, a JSON array or a JSON object, plain or gzip. Valid lines are stored even if others are rejected.',
    body: { type: NDJSON_TYPE, schema: unknownEventInput },
    reply: { type: JSON_TYPE, schema: ingestReply },
    answer: ({ incoming, caller }) =>
      withBytes(incoming, BODY_LIMIT, async (bytes): Promise<Reply> => {
        const done = await context.ingest(bytes, (host) => context.people?.senders.record(caller, host))
        return jsonReply(done)
      }),
  }
}

function getEvents({ options: { store } }: AppContext): Route {
  return route({
    method: 'GET',
    path: '/api/events',
    scope: 'full',
    summary: 'A page of stored events, newest first. With `after`, oldest first, starting after that number.',
    query: eventsQuery,
    reply: { type: JSON_TYPE, schema: eventsPage },
    answer: async ({ query }) => {
      const { after, before, limit } = query
      if (after !== undefined && before !== undefined) {
        return badInput('query', [{ path: 'before', reason: 'cannot be combined with after' }])
      }
      const range =
        after === undefined ? { before: before ?? Number.MAX_SAFE_INTEGER, limit } : { after, limit }
      const [page, head] = await Promise.all([store.read(range, toEventFilter(query)), store.head()])
      if (!page.ok) return toRefusal(page)
      if (!head.ok) return toRefusal(head)
      const { first, last } = head.value
      const rows = page.value.rows.map((row) => row.json).join(',')
      return jsonText(`{"events":[${rows}],"next":${page.value.next},"first":${first},"last":${last}}`)
    },
  })
}

function getExport({ options: { store } }: AppContext): Route {
  return route({
    method: 'GET',
    path: '/api/export',
    scope: 'full',
    summary: 'All stored events that match the filters, oldest first, one per line.',
    query: exportQuery,
    reply: { type: NDJSON_TYPE, schema: unknownStoredEvent },
    answer: async ({ query, cutOff }) => {
      const head = await store.head()
      if (!head.ok) return toRefusal(head)
      const { last } = head.value
      const readPage = (after: number) => store.read({ after, limit: EXPORT_PAGE }, toEventFilter(query))
      // A store that fails at once is refused with its reason. Later failures can only cut the answer off.
      const first = await readPage(query.after ?? 0)
      if (!first.ok) return toRefusal(first)
      let begun: typeof first | undefined = first
      let at: number | null = query.after ?? 0
      const encoder = new TextEncoder()
      const body = new ReadableStream<Uint8Array>(
        {
          // The reader pulls: a slow one holds only one page in memory.
          pull: async (stream) => {
            while (at !== null) {
              const page: typeof first | Failure = begun ?? (await readPage(at))
              begun = undefined
              if (!page.ok) {
                cutOff(page.message)
                break
              }
              const rows = page.value.rows.filter((row) => row.seq <= last)
              at = rows.length < page.value.rows.length ? null : page.value.next
              if (rows.length === 0) continue
              return stream.enqueue(
                encoder.encode(`${escapeJsonText(rows.map((row) => row.json).join('\n'))}\n`),
              )
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

/** A parameter with an empty value, as an HTML form sends it for an empty field, does not filter. */
const toEventFilter = (query: Omit<EventsQuery, 'limit' | 'before' | 'after'>): EventFilter => ({
  kinds: query.kind?.length ? query.kind : undefined,
  source: query.source || undefined,
  session: query.session || undefined,
  agent: query.agent || undefined,
  since: query.since,
  until: query.until,
  text: query.text || undefined,
  failed: query.failed,
})
