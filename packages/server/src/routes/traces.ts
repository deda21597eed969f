import { createOtlp, type Otlp } from '@panoptes/engine/capture'
import { fromProtobuf, type TracesRequest, type TracesResponse, toProtobuf } from '@panoptes/engine/otlp'
import { failure, type Result, type StoredEvent, success } from '@panoptes/schema'
import { isNestedTooDeep, parseShallowJson, TOO_DEEP } from '@panoptes/schema/json'
import { plural } from '@panoptes/schema/numbers'
import { z } from 'zod'
import type { AppContext } from '../app-context.ts'
import { type Refusal, toRefusal } from '../problem.ts'
import { withBytes } from '../request-body.ts'
import { JSON_TYPE, type Route } from '../route.ts'

const BODY_LIMIT = 16_777_216
const PROTOBUF_TYPE = 'application/x-protobuf'
/** How many events of a session are read to restore a trace that is no longer in memory. */
const RECALLED = 2_000

const reply = z.looseObject({
  partialSuccess: z.looseObject({ rejectedSpans: z.string(), errorMessage: z.string() }).optional(),
})

/** Accepts traces from OpenTelemetry SDKs (OTLP/HTTP). Every answer has the encoding of its request. */
export function traceRoutes(context: AppContext): readonly Route[] {
  const readSessionEvents = async (source: string, session: string): Promise<readonly StoredEvent[]> => {
    const range = { before: Number.MAX_SAFE_INTEGER, limit: RECALLED }
    const page = await context.options.store.read(range, { source, session })
    return page.ok ? page.value.rows.map(({ json }) => JSON.parse(json) as StoredEvent) : []
  }
  let otlp: Otlp | undefined

  const storeTraces = async (request: TracesRequest): Promise<Result<TracesResponse>> => {
    const { intake } = context
    otlp ??= createOtlp({ capture: intake.capture, recall: readSessionEvents })
    const taken = await otlp.take(request, (events) => intake.append(events))
    if (taken === undefined)
      return failure('invalid', 'The request contains no spans: resourceSpans is missing.')
    if (!taken.ok) return taken
    const { rejected, problem } = taken.value
    if (rejected === 0) return success({})
    const errorMessage = `${plural(rejected, 'span was', 'spans were')} rejected: ${problem}`
    intake.rejected(rejected, { line: 0, path: '/v1/traces', reason: errorMessage })
    return success({ partialSuccess: { rejectedSpans: String(rejected), errorMessage } })
  }

  return [
    {
      method: 'POST',
      path: '/v1/traces',
      scope: 'ingest',
      published: true,
      summary:
        'Send spans over OTLP/HTTP as JSON or protobuf, plain or gzip. Spans with GenAI or OpenInference attributes become events; other spans are ignored.',
      body: {
        type: JSON_TYPE,
        schema: z.looseObject({ resourceSpans: z.array(z.looseObject({})).optional() }),
      },
      reply: { type: JSON_TYPE, schema: reply },
      answer: async ({ incoming }) => {
        const encoding = parseEncoding(incoming.headers['content-type'])
        if (encoding === undefined) return encodeRefusal(unknownType, 'json')
        const done = await withBytes(incoming, BODY_LIMIT, async (bytes): Promise<Result<TracesResponse>> => {
          const read = encoding === 'protobuf' ? fromProtobuf('TracesRequest', bytes) : fromJson(bytes)
          return read.ok ? storeTraces(read.value) : read
        })
        if ('status' in done) return encodeRefusal(done, encoding)
        return done.ok ? encodeResponse(done.value, encoding) : encodeRefusal(toRefusal(done), encoding)
      },
    },
    ...(['metrics', 'logs'] as const).map(unsupportedSignal),
  ]
}

/**
 * An SDK with one endpoint for all signals also sends these. It should learn that they are unsupported, not that
 * its token is wrong.
 */
const unsupportedSignal = (signal: 'metrics' | 'logs'): Route => ({
  method: 'POST',
  path: `/v1/${signal}`,
  scope: 'ingest',
  summary: `Not supported: always 404. The only OpenTelemetry signal Panoptes accepts is traces, at /v1/traces.`,
  reply: { type: JSON_TYPE, status: 404, schema: z.looseObject({ code: z.int(), message: z.string() }) },
  answer: ({ incoming }) =>
    encodeRefusal(
      {
        status: 404,
        code: 'only_traces',
        title: 'Only traces',
        detail: `Panoptes accepts traces but no ${signal}.`,
        next: `Send traces to /v1/traces, and turn off ${signal} with OTEL_${signal.toUpperCase()}_EXPORTER=none.`,
      },
      parseEncoding(incoming.headers['content-type']) ?? 'json',
    ),
})

type Encoding = 'json' | 'protobuf'

function parseEncoding(type: string | undefined): Encoding | undefined {
  const name = type?.split(';', 1)[0]?.trim().toLowerCase()
  if (name === JSON_TYPE) return 'json'
  return name === PROTOBUF_TYPE || name === 'application/protobuf' ? 'protobuf' : undefined
}

/** A span attribute that is nested too deep is dropped, and the span is kept. */
const hasSpans = ({ resourceSpans }: TracesRequest): boolean | undefined =>
  resourceSpans?.some(({ scopeSpans }) => scopeSpans?.some(({ spans }) => spans !== undefined))

function fromJson(bytes: Buffer): Result<TracesRequest> {
  try {
    const text = bytes.toString('utf8')
    const request = parseShallowJson(text) as TracesRequest
    return isNestedTooDeep(text) && !hasSpans(request)
      ? failure('invalid', `The body is not OTLP JSON: it ${TOO_DEEP}.`)
      : success(request)
  } catch {
    return failure('invalid', 'The body is not valid JSON.')
  }
}

const encodeResponse = (response: TracesResponse, encoding: Encoding): Response =>
  encoding === 'json'
    ? new Response(JSON.stringify(response), { headers: { 'content-type': JSON_TYPE } })
    : bytes(toProtobuf('TracesResponse', response), { headers: { 'content-type': PROTOBUF_TYPE } })

/** The codes of google.rpc for the refusals that can occur. */
const RPC_CODES: Readonly<Record<number, number>> = { 400: 3, 404: 12, 413: 8, 415: 3, 503: 14, 507: 8 }
const INTERNAL = 13

function encodeRefusal(refusal: Refusal, encoding: Encoding): Response {
  // A sender drops what a 507 refuses. The disk may have space again later, so it gets 503 and retries.
  const status = refusal.status === 507 ? 503 : refusal.status
  const code = RPC_CODES[refusal.status] ?? INTERNAL
  const rpcStatus = { code, message: `${refusal.detail} ${refusal.next}` }
  const headers = {
    ...refusal.headers,
    ...(status === 503 && refusal.headers?.['retry-after'] === undefined ? { 'retry-after': '30' } : {}),
    'content-type': encoding === 'json' ? JSON_TYPE : PROTOBUF_TYPE,
  }
  return encoding === 'json'
    ? new Response(JSON.stringify(rpcStatus), { status, headers })
    : bytes(toProtobuf('RpcStatus', rpcStatus), { status, headers })
}

const bytes = (body: Uint8Array, init: ResponseInit): Response => new Response(new Uint8Array(body), init)

const unknownType: Refusal = {
  status: 415,
  code: 'unknown_type',
  title: 'Unknown type',
  detail: 'Spans must be JSON or protobuf.',
  next: `Send them with the content type ${JSON_TYPE} or ${PROTOBUF_TYPE}.`,
}
