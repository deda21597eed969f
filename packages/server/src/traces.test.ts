import { type Context, context, type Span, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api'
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { resourceFromAttributes } from '@opentelemetry/resources'
import { BatchSpanProcessor, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace'
import type { Agent, StoredEvent } from '@panoptes/schema'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer, unwrap } from './server.test-kit.ts'

let at: TestServer
beforeEach(async () => {
  at = await startTestServer()
})
afterEach(() => at.stop())

const EXPORTERS = { 'http/json': JsonExporter, 'http/protobuf': ProtobufExporter } as const
const PROCESSORS = { 'each span by itself': SimpleSpanProcessor, 'in batches': BatchSpanProcessor } as const
const ways = Object.keys(EXPORTERS).flatMap((protocol) =>
  Object.keys(PROCESSORS).flatMap((how) =>
    (['none', 'gzip'] as const).map((compression) => ({ protocol, how, compression })),
  ),
) as { protocol: keyof typeof EXPORTERS; how: keyof typeof PROCESSORS; compression: 'none' | 'gzip' }[]

async function provider({ protocol, how, compression }: (typeof ways)[number]): Promise<TracerProvider> {
  const exporter = new EXPORTERS[protocol]({
    url: `${at.address}/v1/traces`,
    headers: { authorization: `Bearer ${await at.token('ingest')}` },
    compression: compression as never,
  })
  return new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': 'planner' }),
    spanProcessors: [new PROCESSORS[how]({ exporter })],
  })
}

const under = (span: Span): Context => trace.setSpan(context.active(), span)
const start = (tracer: Tracer, name: string, attributes: Record<string, string | number>, parent?: Span) =>
  tracer.startSpan(name, { attributes }, parent ? under(parent) : context.active())

const chat = (tracer: Tracer, parent: Span, text: string) => {
  start(
    tracer,
    'chat claude-opus-4-8',
    {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'anthropic',
      'gen_ai.request.model': 'claude-opus-4-8',
      'gen_ai.conversation.id': 'c1',
      'gen_ai.usage.input_tokens': 1_100,
      'gen_ai.usage.cache_read.input_tokens': 900,
      'gen_ai.usage.cache_creation.input_tokens': 100,
      'gen_ai.usage.output_tokens': 20,
      'gen_ai.output.messages': JSON.stringify([
        { role: 'assistant', parts: [{ type: 'text', content: text }], finish_reason: 'stop' },
      ]),
    },
    parent,
  ).end()
}

const tool = (tracer: Tracer, parent: Span, name: string, call: string, args: object, error?: string) => {
  const span = start(
    tracer,
    `execute_tool ${name}`,
    {
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': name,
      'gen_ai.tool.call.id': call,
      'gen_ai.tool.call.arguments': JSON.stringify(args),
    },
    parent,
  )
  if (error) span.setStatus({ code: SpanStatusCode.ERROR, message: error })
  span.end()
}

/** A conversation in which one agent calls another. */
function work(tracer: Tracer): void {
  const main = start(tracer, 'invoke_agent planner', {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': 'planner',
    'gen_ai.conversation.id': 'c1',
    'gen_ai.input.messages': JSON.stringify([
      { role: 'user', parts: [{ type: 'text', content: 'Plan a journey' }] },
    ]),
  })
  chat(tracer, main, 'It took 12 s [REAL: call t1]')
  tool(tracer, main, 'Bash', 't1', {
    command: 'ls --token=sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789',
  })
  tool(tracer, main, 'Skill', 't2', { skill: 'maps' })
  const asked = start(
    tracer,
    'execute_tool Agent',
    { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'Agent', 'gen_ai.tool.call.id': 't3' },
    main,
  )
  const helper = start(
    tracer,
    'invoke_agent helper',
    { 'gen_ai.operation.name': 'invoke_agent', 'gen_ai.agent.name': 'helper' },
    asked,
  )
  const step = start(tracer, 'retry', {}, helper)
  chat(tracer, step, 'Done.\n\n=== STATUS-TRUTH MARKER ===\nshipped: partial\nstubs: 2\n')
  tool(tracer, step, 'Read', 't4', { file_path: '/a' }, 'no such file')
  step.end()
  helper.end()
  asked.end()
  chat(tracer, main, 'Here it is.\n\n=== STATUS-TRUTH MARKER ===\nshipped: functional\nstubs: 0\n')
  main.end()
}

const agents = async (session = 'c1'): Promise<readonly Agent[]> =>
  unwrap(await at.store.agents({ session, limit: 100 })).value

const events = async (): Promise<readonly StoredEvent[]> =>
  unwrap(await at.store.read({ after: 0, limit: 1_000 })).rows.map(({ json }) => JSON.parse(json))

describe.each(ways)(
  'an OpenTelemetry SDK that sends $how over $protocol, compressed by $compression',
  (way) => {
    it('shows its agents, tools, tokens and messages', async () => {
      const sdk = await provider(way)
      work(sdk.getTracer('test'))
      await sdk.forceFlush()
      await sdk.shutdown()
      const told = await agents()
      const [main, helper] = ['main', undefined].map((id) =>
        told.find((agent) => (id ? agent.id === id : agent.id !== 'main')),
      )
      expect(told.map(({ id, state }) => [id, state])).toHaveLength(2)
      expect(main).toMatchObject({
        source: 'planner',
        state: 'done',
        outcome: 'functional',
        parent_id: null,
        prompt_preview: 'Plan a journey',
        tool_counts: { Bash: 1, Skill: 1, Agent: 1 },
        errors: 0,
        usage: { input: 200, output: 40, cache_read: 1_800, cache_write: 200 },
      })
      expect(helper).toMatchObject({
        state: 'done',
        outcome: 'partial',
        parent_id: 'main',
        subagent_type: 'helper',
        tool_counts: { Read: 1 },
        errors: 1,
        usage: { input: 100, output: 20, cache_read: 900, cache_write: 100 },
      })
      const kinds = Object.groupBy(await events(), ({ event }) => event)
      expect(kinds.skill_use).toMatchObject([{ skill: 'maps', success: true, id: 't2' }])
      expect(kinds.claim).toMatchObject([
        { value: 'It took 12 s', tier: 'REAL', pointer: 'call t1', place: 0 },
      ])
      // Spans that are sent one by one are in flight at the same time and may arrive in any order.
      expect(kinds.status?.toSorted((a, b) => Number(a.stubs) - Number(b.stubs))).toMatchObject([
        { shipped: 'functional', stubs: 0 },
        { shipped: 'partial', stubs: 2 },
      ])
      expect(JSON.stringify(kinds)).not.toContain('AbCdEfGhIjKlMnOp')
    })
  },
)
