import { gzipSync } from 'node:zlib'
import { fromProtobuf, type TracesRequest, toProtobuf } from '@panoptes/engine/otlp'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { overriding, startTestServer, type TestServer } from './server.test-kit.ts'

let at: TestServer
let busy = false
beforeAll(async () => {
  at = await startTestServer({
    wrap: (store) =>
      overriding(store, {
        append: async (...args) =>
          busy ? { ok: false, code: 'busy', message: 'The store is busy.' } : store.append(...args),
      }),
  })
})
afterAll(() => at.stop())

const JSON_TYPE = 'application/json'
const PROTOBUF_TYPE = 'application/x-protobuf'

const post = (body: Uint8Array | string, type: string, headers: Record<string, string> = {}) =>
  postTo('/v1/traces', body, type, headers)

async function postTo(
  path: string,
  body: Uint8Array | string,
  type: string,
  headers: Record<string, string> = {},
) {
  const token = await at.token('ingest')
  const reply = await at.request(path, {
    method: 'POST',
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers: { authorization: `Bearer ${token}`, 'content-type': type, ...headers },
  })
  const bytes = new Uint8Array(await reply.arrayBuffer())
  const text = Buffer.from(bytes).toString('utf8')
  return {
    status: reply.status,
    type: reply.headers.get('content-type'),
    headers: reply.headers,
    bytes,
    text,
  }
}

const good = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  name: 'chat',
  startTimeUnixNano: '1790000000000000000',
  endTimeUnixNano: '1790000001000000000',
  attributes: [{ key: 'gen_ai.operation.name', value: { stringValue: 'chat' } }],
}
const request = (...spans: readonly unknown[]): TracesRequest =>
  ({ resourceSpans: [{ scopeSpans: [{ spans }] }] }) as TracesRequest

describe('spans in JSON', () => {
  it('get an empty object if all were accepted', async () => {
    const sent = { ...request(good), newField: [1, { odd: true }] }
    expect(await post(JSON.stringify(sent), `${JSON_TYPE}; charset=utf-8`)).toMatchObject({
      status: 200,
      type: JSON_TYPE,
      text: '{}',
    })
    expect(await post('{}', JSON_TYPE)).toMatchObject({ status: 200, text: '{}' })
  })

  it('are accepted apart from invalid ones', async () => {
    const { status, text } = await post(
      JSON.stringify(request(good, { ...good, spanId: 'xyz' }, { ...good, traceId: '0'.repeat(32) }, 7)),
      JSON_TYPE,
    )
    expect(status).toBe(200)
    expect(JSON.parse(text)).toEqual({
      partialSuccess: { rejectedSpans: '3', errorMessage: expect.stringContaining('an id of 16') },
    })
  })

  it.each(['', 'null', '7', '{"resourceSpans":', '{"resourceSpans":7}', '{"resourceLogs":[]}', '"x"'])(
    'are refused with a status message if the body is %s',
    async (body) => {
      const { status, type, text } = await post(body, JSON_TYPE)
      expect({ status, type }).toEqual({ status: 400, type: JSON_TYPE })
      expect(JSON.parse(text)).toEqual({ code: 3, message: expect.any(String) })
    },
  )
})

describe('spans in protobuf', () => {
  it('get a protobuf answer', async () => {
    const sent = toProtobuf('TracesRequest', request(good, { ...good, spanId: 'abcd' }))
    const { status, type, bytes } = await post(gzipSync(sent), PROTOBUF_TYPE, { 'content-encoding': 'gzip' })
    expect({ status, type }).toEqual({ status: 200, type: PROTOBUF_TYPE })
    expect(fromProtobuf('TracesResponse', bytes)).toMatchObject({
      value: { partialSuccess: { rejectedSpans: '1' } },
    })
    const all = await post(toProtobuf('TracesRequest', request(good)), PROTOBUF_TYPE)
    expect({ status: all.status, length: all.bytes.length }).toEqual({ status: 200, length: 0 })
  })

  it('are refused with a protobuf status message', async () => {
    const { status, type, bytes } = await post(Buffer.from([0x0a, 0xff]), PROTOBUF_TYPE)
    expect({ status, type }).toEqual({ status: 400, type: PROTOBUF_TYPE })
    expect(fromProtobuf('RpcStatus', bytes)).toMatchObject({
      value: { code: 3, message: expect.any(String) },
    })
  })
})

describe('metrics and logs', () => {
  it('are refused with a status that says what is supported, for any token that may send traces', async () => {
    for (const signal of ['metrics', 'logs']) {
      const { status, type, text } = await postTo(`/v1/${signal}`, '{}', JSON_TYPE)
      expect({ status, type }).toEqual({ status: 404, type: JSON_TYPE })
      expect(JSON.parse(text)).toEqual({
        code: 12,
        message: expect.stringContaining(`traces but no ${signal}`),
      })
      const binary = await postTo(`/v1/${signal}`, Buffer.from([]), PROTOBUF_TYPE)
      expect(binary).toMatchObject({ status: 404, type: PROTOBUF_TYPE })
      expect(fromProtobuf('RpcStatus', binary.bytes)).toMatchObject({ value: { code: 12 } })
    }
  })
})

describe('a body of traces', () => {
  it('is refused if its type or encoding is unknown, or if it inflates to too much', async () => {
    expect(await post('a', 'text/plain')).toMatchObject({ status: 415 })
    expect(await post('{}', JSON_TYPE, { 'content-encoding': 'br' })).toMatchObject({ status: 415 })
    const large = gzipSync(Buffer.alloc(20_000_000, 32))
    const refused = await post(large, JSON_TYPE, { 'content-encoding': 'gzip' })
    expect(refused).toMatchObject({ status: 413, type: JSON_TYPE })
    expect(await post('not gzip', JSON_TYPE, { 'content-encoding': 'gzip' })).toMatchObject({ status: 400 })
  })

  it('gets a temporary failure if it cannot be stored now', async () => {
    busy = true
    const { status, headers } = await post(JSON.stringify(request(good)), JSON_TYPE)
    busy = false
    expect(status).toBe(503)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0)
  })

  it('never causes more than a refusal, whatever it contains', async () => {
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, 7, '', 'x', '0af7651916cd43dd8448eb211c80319c', '17900000000000'),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(
          fc.constantFrom(
            'attributes',
            'events',
            'key',
            'value',
            'stringValue',
            'arrayValue',
            'values',
            'spans',
            'traceId',
            'spanId',
            'startTimeUnixNano',
            'status',
            '__proto__',
          ),
          tie('any'),
          { maxKeys: 5 },
        ),
      ),
    })).any
    await fc.assert(
      fc.asyncProperty(value, fc.boolean(), async (odd, inSpan) => {
        const body = inSpan
          ? request({ ...good, attributes: odd, events: odd, status: odd })
          : { resourceSpans: odd }
        expect([200, 400]).toContain((await post(JSON.stringify(body), JSON_TYPE)).status)
      }),
      { numRuns: 150 },
    )
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        expect([200, 400]).toContain((await post(bytes, PROTOBUF_TYPE)).status)
      }),
      { numRuns: 150 },
    )
  })
})
