import { createOtlp, type Otlp } from '@panoptes/engine/capture'
import { fromProtobuf, type TracesRequest, type TracesResponse, toProtobuf } from '@panoptes/engine/otlp'
import { failure, type Result, type StoredEvent, success } from '@panoptes/schema'
import { z } from 'zod'
import { withBytes } from '../body.ts'
import type { Kit } from '../kit.ts'
import { type Refusal, refusalOf } from '../problem.ts'
import { JSON_TYPE, type Route } from '../route.ts'

const BODY_LIMIT = 16_777_216
const PROTOBUF_TYPE = 'application/x-protobuf'
/** Of one session: what is looked up when the memory of a trace is lost. */
const RECALLED = 2_000

const reply = z.looseObject({
  partialSuccess: z.looseObject({ rejectedSpans: z.string(), errorMessage: z.string() }).optional(),
})

/** What programs with an OpenTelemetry SDK send (OTLP/HTTP). Every answer is in the encoding of the request. */
export function traceRoutes(kit: Kit): readonly Route[] {
  const recall = async (source: string, session: string): Promise<readonly StoredEvent[]> => {
    const range = { before: Number.MAX_SAFE_INTEGER, limit: RECALLED }
    const page = await kit.options.ledger.read(range, { source, session })
    return page.ok ? page.value.rows.map(({ json }) => JSON.parse(json) as StoredEvent) : []
  }
  let otlp: Otlp | undefined

  const take = async (request: TracesRequest): Promise<Result<TracesResponse>> => {
    const { intake } = kit
    otlp ??= createOtlp({ capture: intake.capture, recall })
    const taken = await otlp.take(request, (events) => intake.append(events))
    if (taken === undefined)
      return failure('invalid', 'This is no request with spans: it has no resourceSpans.')
    if (!taken.ok) return taken
    const { rejected, problem } = taken.value
    if (rejected === 0) return success({})
    const errorMessage = `${rejected} spans were not taken: ${problem}`
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
        'Send spans: OTLP/HTTP as JSON or protobuf, plain or gzip. GenAI and OpenInference attributes become events; other spans are passed over.',
      body: {
        type: JSON_TYPE,
        schema: z.looseObject({ resourceSpans: z.array(z.looseObject({})).optional() }),
      },
      reply: { type: JSON_TYPE, schema: reply },
      answer: async ({ incoming }) => {
        const encoding = encodingOf(incoming.headers['content-type'])
        if (encoding === undefined) return refused(unknownType, 'json')
        const done = await withBytes(incoming, BODY_LIMIT, async (bytes): Promise<Result<TracesResponse>> => {
          const read = encoding === 'protobuf' ? fromProtobuf('TracesRequest', bytes) : fromJson(bytes)
          return read.ok ? take(read.value) : read
        })
        if ('status' in done) return refused(done, encoding)
        return done.ok ? answered(done.value, encoding) : refused(refusalOf(done), encoding)
      },
    },
    ...(['metrics', 'logs'] as const).map(notTaken),
  ]
}

/** SDKs that are told of one address for all send these, too: they are to learn that it is not for want of a token. */
const notTaken = (signal: 'metrics' | 'logs'): Route => ({
  method: 'POST',
  path: `/v1/${signal}`,
  scope: 'ingest',
  summary: `Not taken: of OpenTelemetry only traces are, at /v1/traces. Always 404, with a status that says so.`,
  reply: { type: JSON_TYPE, status: 404, schema: z.looseObject({ code: z.int(), message: z.string() }) },
  answer: ({ incoming }) =>
    refused(
      {
        status: 404,
        code: 'only_traces',
        title: 'Only traces',
        detail: `Panoptes takes traces and no ${signal}.`,
        next: `Send traces to /v1/traces, and switch this off with OTEL_${signal.toUpperCase()}_EXPORTER=none.`,
      },
      encodingOf(incoming.headers['content-type']) ?? 'json',
    ),
})

type Encoding = 'json' | 'protobuf'

function encodingOf(type: string | undefined): Encoding | undefined {
  const name = type?.split(';', 1)[0]?.trim().toLowerCase()
  if (name === JSON_TYPE) return 'json'
  return name === PROTOBUF_TYPE || name === 'application/protobuf' ? 'protobuf' : undefined
}

function fromJson(bytes: Buffer): Result<TracesRequest> {
  try {
    return success(JSON.parse(bytes.toString('utf8')))
  } catch {
    return failure('invalid', 'This is no OTLP in JSON: it is not JSON.')
  }
}

const answered = (response: TracesResponse, encoding: Encoding): Response =>
  encoding === 'json'
    ? new Response(JSON.stringify(response), { headers: { 'content-type': JSON_TYPE } })
    : bytes(toProtobuf('TracesResponse', response), { headers: { 'content-type': PROTOBUF_TYPE } })

/** The codes of google.rpc, for those a refusal can be about. */
const RPC_CODES: Readonly<Record<number, number>> = { 400: 3, 404: 12, 413: 8, 415: 3, 503: 14, 507: 8 }
const INTERNAL = 13

function refused(refusal: Refusal, encoding: Encoding): Response {
  // A sender gives up what is refused with 500, and what is refused for now it should keep.
  const status = refusal.status === 507 ? 503 : refusal.status
  const code = RPC_CODES[refusal.status] ?? INTERNAL
  const said = { code, message: `${refusal.detail} ${refusal.next}` }
  const headers = {
    ...refusal.headers,
    ...(status === 503 && refusal.headers?.['retry-after'] === undefined ? { 'retry-after': '30' } : {}),
    'content-type': encoding === 'json' ? JSON_TYPE : PROTOBUF_TYPE,
  }
  return encoding === 'json'
    ? new Response(JSON.stringify(said), { status, headers })
    : bytes(toProtobuf('RpcStatus', said), { status, headers })
}

const bytes = (body: Uint8Array, init: ResponseInit): Response => new Response(new Uint8Array(body), init)

const unknownType: Refusal = {
  status: 415,
  code: 'unknown_type',
  title: 'Unknown type',
  detail: 'Spans come as JSON or as protobuf.',
  next: `Send them with the content type ${JSON_TYPE} or ${PROTOBUF_TYPE}.`,
}
