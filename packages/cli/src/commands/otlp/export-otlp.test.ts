import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import reader from 'otlp-reader/build/src/generated/root.js'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { saidIn } from '../sessions/sessions.test-kit.ts'
import { exportOtlp } from './export-otlp.ts'
import { parseHeaders, resolveEndpoint, send } from './send.ts'

const RECORDED = new URL('../../../../../fixtures/claude-code/transcripts', import.meta.url).pathname
const PARALLEL = 'ea691ccd-8a96-4a2d-838e-68211d44554b'

interface Theirs {
  readonly decode: (bytes: Uint8Array) => object
  readonly toObject: (message: object, options: object) => Decoded
}
interface Decoded {
  readonly resourceSpans: {
    readonly resource: { readonly attributes: { key: string; value: { stringValue?: string } }[] }
    readonly scopeSpans: { readonly spans: { name: string; spanId: string; parentSpanId?: string }[] }[]
  }[]
}
interface Root {
  readonly opentelemetry: {
    readonly proto: {
      readonly collector: { readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: Theirs } } }
    }
  }
}
/** The decoder that OpenTelemetry generates from its own definitions. */
const { ExportTraceServiceRequest } = (reader as unknown as Root).opentelemetry.proto.collector.trace.v1

interface Heard {
  readonly headers: IncomingMessage['headers']
  readonly body: Buffer
}
let heard: Heard[] = []
let answers: { status: number; headers?: Record<string, string>; body?: string }[] = []
let home = ''
let address = ''
const collector = createServer(async (incoming, reply) => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk as Buffer)
  heard.push({ headers: incoming.headers, body: Buffer.concat(chunks) })
  const { status, headers, body } = answers.shift() ?? { status: 200 }
  reply.writeHead(status, headers).end(body)
})

beforeEach(async () => {
  heard = []
  answers = []
  home = mkdtempSync(join(tmpdir(), 'panoptes-otlp-'))
  mkdirSync(join(home, '.claude'), { recursive: true })
  cpSync(RECORDED, join(home, '.claude', 'projects'), { recursive: true })
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve))
  address = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`
})
afterEach(async () => {
  await new Promise((resolve) => collector.close(resolve))
  rmSync(home, { recursive: true, force: true })
})

const spansIn = (decoded: Decoded) =>
  decoded.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans))

describe('a session that is exported to a collector', () => {
  it('is decoded by OpenTelemetry completely, as one tree', async () => {
    const { context, document, text } = saidIn(home)
    await exportOtlp(context, [PARALLEL.slice(0, 8)], { to: address, header: ['x-team=a=b'] })
    expect(heard[0]?.headers).toMatchObject({ 'content-type': 'application/x-protobuf', 'x-team': 'a=b' })
    const decoded = heard.map(({ body }) =>
      ExportTraceServiceRequest.toObject(ExportTraceServiceRequest.decode(body), {
        bytes: String,
        longs: String,
      }),
    )
    const spans = decoded.flatMap(spansIn)
    const names = Object.groupBy(spans, ({ name }) => name.split(' ')[0] ?? '')
    expect(names.invoke_agent).toHaveLength(4)
    expect(names.execute_tool?.filter(({ name }) => name === 'execute_tool Agent')).toHaveLength(3)
    expect(names.chat?.length).toBeGreaterThan(4)
    expect(decoded[0]?.resourceSpans[0]?.resource.attributes).toMatchObject([
      { key: 'service.name', value: { stringValue: 'claude-code' } },
    ])
    expect(spans.filter(({ parentSpanId }) => !parentSpanId)).toHaveLength(1)
    expect(text()).toBe(`1 session, ${spans.length} spans sent to ${address}/v1/traces`)
    expect(document()).toMatchObject({ ok: true, sessions: 1, spans: spans.length, rejected: 0 })
    expect(Buffer.concat(heard.map(({ body }) => body)).toString('latin1')).not.toContain('RUN:parallel')
  })

  it('is sent as JSON with --protocol http/json, and reports rejected spans', async () => {
    answers = [{ status: 200, body: '{"partialSuccess":{"rejectedSpans":"2","errorMessage":"too old"}}' }]
    const { context, document } = saidIn(home)
    await exportOtlp(context, [PARALLEL], { to: `${address}/otel`, protocol: 'http/json', content: true })
    expect(heard[0]?.headers['content-type']).toBe('application/json')
    const body = heard[0]?.body.toString('utf8') ?? ''
    expect(spansIn(JSON.parse(body)).length).toBeGreaterThan(10)
    expect(body).toContain('RUN:parallel')
    expect(document()).toMatchObject({ rejected: 2, to: `${address}/otel` })
  })

  it('is written to a file with one request per line', async () => {
    const { context, document } = saidIn(home)
    const file = join(home, 'spans.jsonl')
    await exportOtlp(context, [], { file, all: true })
    const lines = readFileSync(file, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    const { spans, sessions } = document() as { spans: number; sessions: number }
    expect(lines.flatMap(spansIn)).toHaveLength(spans)
    expect(sessions).toBeGreaterThan(2)
    await expect(exportOtlp(context, [], { file, all: true })).rejects.toThrow('already exists')
    await exportOtlp(context, [], { file, source: 'hermes', force: true })
    expect(readFileSync(file, 'utf8')).toBe('')
  })

  it('needs a session and a target', async () => {
    const { context } = saidIn(home)
    await expect(exportOtlp(context, [], { to: address })).rejects.toThrow('No sessions selected')
    await expect(exportOtlp(context, ['nobody'], { to: address })).rejects.toThrow('No session nobody')
    await expect(exportOtlp(context, [PARALLEL], {})).rejects.toThrow('Missing --to or --file')
  })
})

describe('requests to a collector', () => {
  const going = () => ({
    to: new URL(`${address}/v1/traces`),
    protocol: 'http/json' as const,
    headers: {},
    signal: new AbortController().signal,
    firstWaitMs: 5,
  })

  it('are retried when the collector is busy, after the delay that it asks for', async () => {
    answers = [{ status: 503, headers: { 'retry-after': '1' } }, { status: 429 }]
    const began = performance.now()
    expect(await send({}, going())).toEqual({ rejected: 0, problem: null })
    expect(heard).toHaveLength(3)
    expect(performance.now() - began).toBeGreaterThan(950)
  })

  it('fail at once when rejected, and after several attempts when the collector stays busy', async () => {
    answers = [{ status: 400, body: '{"code":3,"message":"no spans"}' }]
    await expect(send({}, going())).rejects.toThrow('rejected the spans with 400: no spans')
    answers = Array.from({ length: 10 }, () => ({ status: 503 }))
    await expect(send({}, going())).rejects.toThrow('does not accept spans: 503')
    expect(heard).toHaveLength(7)
  })

  it('report each retry with its reason', async () => {
    answers = [{ status: 408 }, { status: 503, body: '{"message":"later"}' }]
    const told: unknown[] = []
    await send({}, { ...going(), onRetry: (why, _ms, next, tries) => told.push([why, next, tries]) })
    expect(told).toEqual([
      ['408', 2, 6],
      ['503 later', 3, 6],
    ])
    await expect(
      send({}, { ...going(), to: new URL('http://127.0.0.1:2/v1/traces'), onRetry: (why) => told.push(why) }),
    ).rejects.toThrow('does not accept spans')
    expect(told.slice(2)).toHaveLength(5)
  })

  it('are not retried for a blocked address, a redirect or a 404', async () => {
    const retried: unknown[] = []
    const onRetry = (why: string) => retried.push(why)
    const never = new URL('http://127.0.0.1:9/v1/traces')
    await expect(send({}, { ...going(), to: never, onRetry })).rejects.toThrow('bad port')
    answers = [{ status: 307, headers: { location: 'http://127.0.0.1:4318/' } }]
    await expect(send({}, { ...going(), onRetry })).rejects.toThrow('does not accept spans')
    answers = [{ status: 404 }]
    await expect(send({}, { ...going(), onRetry })).rejects.toThrow('rejected the spans with 404')
    expect(retried).toEqual([])
  })

  it('end when they are aborted', async () => {
    answers = [{ status: 503, headers: { 'retry-after': '60' } }]
    const stop = new AbortController()
    const onRetry = () => void setTimeout(() => stop.abort(), 100)
    await expect(send({}, { ...going(), signal: stop.signal, onRetry })).rejects.toThrow()
    expect(heard).toHaveLength(1)
  })
})

describe('the address of the collector', () => {
  it('comes from --to or from the OpenTelemetry environment variables', () => {
    const of = (to?: string, env = {}) => resolveEndpoint(to, env).href
    expect(of('http://h:4318')).toBe('http://h:4318/v1/traces')
    expect(of('https://h/api/otel')).toBe('https://h/api/otel')
    expect(of(undefined, { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://h:1/x/' })).toBe('http://h:1/x/v1/traces')
    expect(of(undefined, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://h:1/t' })).toBe('http://h:1/t')
    for (const wrong of ['h:4318', 'ftp://h', 'http://me:secret@h']) expect(() => of(wrong)).toThrow()
    expect(parseHeaders(['a=b=c'], { OTEL_EXPORTER_OTLP_HEADERS: 'x=1%202,a=z' })).toEqual({
      x: '1 2',
      a: 'b=c',
    })
    for (const wrong of ['a', '=b', 'a b=c', 'a=b\r\nc: d']) expect(() => parseHeaders([wrong], {})).toThrow()
  })
})
