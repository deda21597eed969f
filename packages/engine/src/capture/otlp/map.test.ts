import { toAttributes } from '@panoptes/engine/otlp'
import { describe, expect, it } from 'vitest'
import { createLog, idOf, type Made, request, span, traceOf } from './otlp.test-kit.ts'

async function capture(made: readonly Made[], service = 'app') {
  const log = createLog()
  await log.send(request(made.map(span), service))
  return { log, of: (kind: string) => log.events().filter(({ event }) => event === kind) }
}

const chat = (attributes: Made['attributes']): Made => ({
  id: 1,
  attributes: { 'gen_ai.operation.name': 'chat', ...attributes },
})

describe('token counts', () => {
  it.each([
    [
      'the conventions',
      { 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.output_tokens': 3 },
      { input: 10, output: 3 },
    ],
    [
      'their older names',
      { 'gen_ai.usage.prompt_tokens': 10, 'gen_ai.usage.completion_tokens': 3 },
      { input: 10, output: 3 },
    ],
    [
      'what came from the cache as part of the input',
      {
        'gen_ai.usage.input_tokens': 100,
        'gen_ai.usage.cache_read.input_tokens': 70,
        'gen_ai.usage.cache_creation.input_tokens': 20,
        'gen_ai.usage.output_tokens': 5,
        'gen_ai.usage.reasoning.output_tokens': 2,
      },
      { input: 10, cache_read: 70, cache_write: 20, output: 5, reasoning: 2 },
    ],
    [
      'an input that cannot hold what came from the cache, as it is',
      { 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.cache_read_input_tokens': 900 },
      { input: 10, cache_read: 900 },
    ],
  ])('are read from %s', async (_, attributes, usage) => {
    const [event, ...others] = (await capture([chat(attributes)])).of('usage')
    expect(event).toMatchObject({ agent_id: 'main', id: `${traceOf(1)}.${idOf(1)}`, ...usage })
    expect(others).toEqual([])
  })

  it('stay unknown when no span reports them', async () => {
    const [event] = (
      await capture([chat({ 'gen_ai.request.model': 'm', 'gen_ai.usage.output_tokens': 'many' })])
    ).of('usage')
    expect(event).toMatchObject({ model: 'm' })
    expect(event?.input).toBeUndefined()
    expect(event?.output).toBeUndefined()
  })

  it('count once when two instrumentations report a reply or an agent sums them up', async () => {
    const counts = { 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.output_tokens': 3 }
    const { of, log } = await capture([
      { id: 1, attributes: { 'gen_ai.operation.name': 'invoke_agent', ...counts } },
      { id: 2, parent: 1, attributes: { 'openinference.span.kind': 'LLM', 'llm.token_count.prompt': 10 } },
      { id: 3, parent: 2, attributes: { 'gen_ai.operation.name': 'chat', ...counts } },
    ])
    expect(of('usage')).toHaveLength(1)
    expect(log.agents().main?.usage).toMatchObject({ input: 10, output: 3 })
  })

  it('of a remote agent are those that it reports itself', async () => {
    const counts = { 'gen_ai.usage.input_tokens': 10, 'gen_ai.usage.output_tokens': 3 }
    const { log } = await capture([
      { id: 1, attributes: { 'gen_ai.operation.name': 'invoke_agent', ...counts } },
    ])
    expect(log.agents().main?.usage).toMatchObject({ input: 10, output: 3 })
  })
})

describe('calls', () => {
  it.each(['panoptes.undecided', 'panoptes.unfinished'])(
    'that an export marks as %s are neither success nor failure, and are no sample',
    async (mark) => {
      const { of, log } = await capture([
        { id: 1, attributes: { 'gen_ai.operation.name': 'invoke_agent' } },
        {
          id: 2,
          parent: 1,
          attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'Bash', [mark]: true },
        },
      ])
      const [done] = of('tool_done')
      expect(done).toMatchObject({ tool: 'Bash' })
      expect(done?.ok).toBeUndefined()
      expect(done?.duration_ms).toBeUndefined()
      expect(log.agents().main).toMatchObject({ tool_counts: { Bash: 1 }, errors: 0 })
    },
  )
})

describe('message texts', () => {
  const text = 'took 3 s [REAL: t1]\nshipped: partial\nstubs: 1'
  const parts = JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: text }] }])
  const asEvent = (name: string, attributes: Parameters<typeof toAttributes>[0]): Made => ({
    ...chat({}),
    events: [{ name, attributes: toAttributes(attributes) }],
  })
  it.each<readonly [string, Made]>([
    ['messages', chat({ 'gen_ai.output.messages': parts })],
    [
      'messages in an event',
      asEvent('gen_ai.client.inference.operation.details', { 'gen_ai.output.messages': parts }),
    ],
    ['a choice', asEvent('gen_ai.choice', { message: JSON.stringify({ role: 'assistant', content: text }) })],
    ['a choice with its content', asEvent('gen_ai.choice', { content: text })],
    ['a completion in an event', asEvent('gen_ai.content.completion', { 'gen_ai.completion': text })],
    [
      'numbered completions',
      chat({ 'gen_ai.completion.0.role': 'assistant', 'gen_ai.completion.0.content': text }),
    ],
    [
      'messages of OpenInference',
      chat({
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.content': text,
      }),
    ],
    [
      'parts of messages of OpenInference',
      chat({
        'llm.output_messages.0.message.role': 'assistant',
        'llm.output_messages.0.message.contents.0.message_content.type': 'text',
        'llm.output_messages.0.message.contents.0.message_content.text': text,
      }),
    ],
    ['a value', chat({ 'output.value': text })],
    [
      'a value of messages',
      chat({
        'output.value': JSON.stringify({
          messages: [
            { type: 'human', content: 'x' },
            { type: 'ai', content: text },
          ],
        }),
      }),
    ],
    [
      'a value of choices',
      chat({
        'output.value': JSON.stringify({ choices: [{ message: { role: 'assistant', content: text } }] }),
      }),
    ],
  ])('are found as %s', async (_, made) => {
    const { of, log } = await capture([made])
    expect(of('claim')).toMatchObject([{ value: 'took 3 s', tier: 'REAL', pointer: 't1' }])
    expect(of('status')).toMatchObject([{ shipped: 'partial', stubs: 1 }])
    expect(log.agents().main).toMatchObject({ state: 'done', outcome: 'partial' })
  })

  it('are not recorded when the environment forbids it', async () => {
    const skill: Made = {
      id: 2,
      attributes: {
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': 'Skill',
        'panoptes.skill': 'maps',
      },
    }
    const log = createLog({ claims: true, skills: true })
    await log.send(request([span(chat({ 'output.value': text })), span(skill)]))
    const kinds = new Set(log.events().map(({ event }) => event))
    expect(kinds.has('status') && kinds.has('tool_done')).toBe(true)
    expect(kinds.has('claim') || kinds.has('skill_use')).toBe(false)
  })

  it('of other participants create no claims', async () => {
    const messages = JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: text }] }])
    const { of } = await capture([
      chat({ 'gen_ai.input.messages': messages, 'gen_ai.output.messages': messages }),
    ])
    expect([...of('claim'), ...of('status')]).toEqual([])
  })
})

/**
 * A trace as the OpenInference instrumentations write it: a chain around an agent, its model and its tool.
 */
const openInference: readonly Made[] = [
  {
    id: 1,
    name: 'Agent workflow',
    attributes: {
      'openinference.span.kind': 'CHAIN',
      'session.id': 'conversation 7',
      'input.value': 'Weather in Oslo?',
    },
  },
  {
    id: 2,
    parent: 1,
    name: 'Assistant',
    attributes: {
      'openinference.span.kind': 'AGENT',
      'session.id': 'conversation 7',
      'graph.node.id': 'Assistant',
      'input.value': 'Weather in Oslo?',
      'input.mime_type': 'text/plain',
    },
  },
  {
    id: 3,
    parent: 2,
    name: 'ChatCompletion',
    attributes: {
      'openinference.span.kind': 'LLM',
      'session.id': 'conversation 7',
      'llm.model_name': 'gpt-5',
      'llm.system': 'openai',
      'llm.token_count.prompt': 120,
      'llm.token_count.completion': 12,
      'llm.token_count.total': 132,
      'llm.token_count.prompt_details.cache_read': 100,
      'llm.token_count.completion_details.reasoning': 4,
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'get_weather',
    },
  },
  {
    id: 4,
    parent: 2,
    name: 'get_weather',
    from: 10,
    to: 60,
    status: { code: 2, message: 'no such town' },
    attributes: {
      'openinference.span.kind': 'TOOL',
      'session.id': 'conversation 7',
      'tool.name': 'get_weather',
      'tool.parameters': '{"city": "Oslo"}',
      'input.value': '{"query": "Oslo"}',
      'output.value': 'none',
    },
  },
  {
    id: 5,
    parent: 2,
    attributes: { 'openinference.span.kind': 'RETRIEVER', 'session.id': 'conversation 7' },
  },
]

describe('OpenInference spans', () => {
  it('provide the agent, its tools and its tokens', async () => {
    const { log, of } = await capture(openInference, 'weather')
    expect(log.agents()).toMatchObject({
      main: {
        state: 'done',
        source: 'weather',
        session_id: 'conversation 7',
        prompt_preview: 'Weather in Oslo?',
        tool_counts: {},
      },
      [idOf(2)]: {
        state: 'done',
        parent_id: 'main',
        subagent_type: 'Assistant',
        tool_counts: { get_weather: 1 },
        errors: 1,
        usage: { input: 20, output: 12, cache_read: 100 },
      },
    })
    expect(of('tool_done')).toMatchObject([{ ok: false, duration_ms: 50, error_preview: 'no such town' }])
    expect(of('tool_use')).toMatchObject([{ tool: 'get_weather', input_preview: 'Oslo' }])
    expect(of('usage')).toMatchObject([{ model: 'gpt-5', reasoning: 4 }])
  })
})

describe('a trace', () => {
  it('without relevant spans produces no events', async () => {
    const { log } = await capture([
      { id: 1, name: 'GET /' },
      { id: 2, parent: 1, name: 'SELECT' },
    ])
    expect(log.events()).toEqual([])
  })

  it('without a conversation id is its own session', async () => {
    const { log } = await capture([chat({ 'gen_ai.usage.output_tokens': 1 })])
    expect(log.agents().main).toMatchObject({ session_id: traceOf(1), state: 'done' })
  })

  it('of a continued conversation is another turn of the same agent', async () => {
    const log = createLog()
    const turn = (trace: number, from: number): Made => ({
      trace,
      id: trace,
      from,
      to: from + 1_000,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.conversation.id': 'c',
        'gen_ai.usage.output_tokens': 2,
      },
    })
    await log.send(request([span(turn(1, 0))]))
    await log.send(request([span(turn(2, 60_000))]))
    expect(Object.keys(log.agents())).toEqual(['main'])
    const { main } = log.agents()
    expect(main).toMatchObject({ state: 'done', usage: { output: 4 } })
    expect((main?.ended_at ?? 0) - (main?.started_at ?? 0)).toBe(61_000)
  })

  it.each([{ flags: 0x300 }, { kind: 2 }, { kind: 5 }])(
    "that another program began has this program's first span as its root: %j",
    async (first) => {
      const log = createLog()
      const agent = { 'gen_ai.operation.name': 'invoke_agent' }
      await log.send(request([{ ...span({ id: 2, parent: 1, attributes: agent }), ...first }]))
      expect(log.agents()).toMatchObject({ main: { state: 'done' } })
    },
  )

  it('of a program named like a followed agent is kept separate', async () => {
    const { log } = await capture([chat({})], 'claude-code')
    expect(log.agents().main?.source).toBe('claude-code-otlp')
  })
})
