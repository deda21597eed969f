import { describe, expect, it } from 'vitest'
import { anthropicRequest } from './anthropic-request.ts'
import type { ChatMessage } from './port.ts'

const user = { role: 'user', content: 'q' }
const asked = (
  messages: readonly ChatMessage[],
  rest: Record<string, unknown> = {},
  model = 'claude-opus-5',
) =>
  anthropicRequest({ model, messages, rest }) as Record<string, unknown> & {
    messages: { role: string; content: Record<string, unknown>[] }[]
  }
const call = (id: string, name = 'read', given = '{"path":"a"}') => ({
  id,
  type: 'function',
  function: { name, arguments: given },
})
const tool = (name: string, more: object = {}) => ({ type: 'function', function: { name, ...more } })

describe('conversation in Anthropic format', () => {
  it('moves leading system messages to the system prompt and keeps later ones in place', () => {
    const made = asked([
      { role: 'system', content: 'be good' },
      {
        role: 'developer',
        content: [{ type: 'text', text: 'be brief', cache_control: { type: 'ephemeral' } }],
      },
      user,
      { role: 'assistant', content: 'a' },
      { role: 'developer', content: 'now in French' },
      user,
    ])
    expect(made.system).toEqual([
      { type: 'text', text: 'be good' },
      { type: 'text', text: 'be brief', cache_control: { type: 'ephemeral' } },
    ])
    expect(made.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'q' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'a' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'now in French' },
          { type: 'text', text: 'q' },
        ],
      },
    ])
  })

  it('puts several tool results into one turn, before any text in it', () => {
    const made = asked([
      user,
      { role: 'assistant', content: 'look', tool_calls: [call('a'), call('b', 'run', '')] },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      { role: 'system', content: 'hurry' },
      { role: 'tool', tool_call_id: 'b', content: [{ type: 'text', text: 'two' }] },
      { role: 'user', content: 'guidance' },
    ])
    expect(made.messages[1]?.content).toEqual([
      { type: 'text', text: 'look' },
      { type: 'tool_use', id: 'a', name: 'read', input: { path: 'a' } },
      { type: 'tool_use', id: 'b', name: 'run', input: {} },
    ])
    expect(made.messages[2]?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'one' }] },
      { type: 'tool_result', tool_use_id: 'b', content: [{ type: 'text', text: 'two' }] },
      { type: 'text', text: 'hurry' },
      { type: 'text', text: 'guidance' },
    ])
  })

  it('includes images and documents, in messages and in results', () => {
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } }
    const made = asked([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'see' },
          image,
          { type: 'image_url', image_url: 'https://x.test/a.png', cache_control: { type: 'ephemeral' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,BBBB' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call('a')] },
      { role: 'tool', tool_call_id: 'a', content: [image] },
    ])
    const png = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
    expect(made.messages[0]?.content).toEqual([
      { type: 'text', text: 'see' },
      png,
      {
        type: 'image',
        source: { type: 'url', url: 'https://x.test/a.png' },
        cache_control: { type: 'ephemeral' },
      },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' },
      },
    ])
    expect(made.messages[2]?.content).toEqual([{ type: 'tool_result', tool_use_id: 'a', content: [png] }])
  })

  it('drops blank texts, which are rejected', () => {
    const made = asked([
      {
        role: 'user',
        content: [
          { type: 'text', text: ' \n' },
          { type: 'text', text: 'q' },
        ],
      },
      { role: 'assistant', content: '', tool_calls: [call('a')] },
      { role: 'tool', tool_call_id: 'a', content: '' },
    ])
    expect(made.messages.map(({ content }) => content)).toEqual([
      [{ type: 'text', text: 'q' }],
      [{ type: 'tool_use', id: 'a', name: 'read', input: { path: 'a' } }],
      [{ type: 'tool_result', tool_use_id: 'a' }],
    ])
  })

  it('rewrites tool call ids of other providers so that they are accepted, on both sides alike', () => {
    const made = asked([
      user,
      { role: 'assistant', tool_calls: [call('functions.read:0|fc', 'read', '[1]')] },
      { role: 'tool', tool_call_id: 'functions.read:0|fc', content: 'x' },
    ])
    expect(made.messages[1]?.content[0]).toMatchObject({ id: 'functions_read_0_fc', input: { value: [1] } })
    expect(made.messages[2]?.content[0]).toMatchObject({ tool_use_id: 'functions_read_0_fc' })
  })

  it('keeps a cache mark on a part, a message or a tool', () => {
    const kept = { type: 'ephemeral', ttl: '1h' }
    const made = asked([{ ...user, cache_control: kept }], {
      tools: [{ ...tool('a'), cache_control: kept }],
    })
    expect(made.messages[0]?.content).toEqual([{ type: 'text', text: 'q', cache_control: kept }])
    expect(made.tools).toMatchObject([{ name: 'a', cache_control: kept }])
  })

  it('accepts anything a client may send', () => {
    const odd = [null, 7, {}, { function: null }, 'x']
    expect(() =>
      asked(
        [
          { role: 'assistant', content: odd, tool_calls: odd },
          { role: 'tool', content: odd },
          { role: 'user', content: null },
          { role: 'other', content: 7 },
        ],
        { tools: [null, tool('a', { parameters: null })], tool_choice: {}, response_format: null },
      ),
    ).not.toThrow()
  })
})

describe('tools in Anthropic format', () => {
  it.each([
    [undefined, undefined],
    [null, undefined],
    ['auto', undefined],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    ['any', { type: 'any' }],
    [
      { type: 'function', function: { name: 'a' } },
      { type: 'tool', name: 'a' },
    ],
    [{ type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [] } }, { type: 'any' }],
    [
      { type: 'tool', name: 'a' },
      { type: 'tool', name: 'a' },
    ],
  ])('accept the tool choice %j', (tool_choice, expected) => {
    expect(asked([user], { tools: [tool('a')], tool_choice }).tool_choice).toEqual(expected)
  })

  it('are called one at a time if requested', () => {
    const alone = { disable_parallel_tool_use: true }
    const rest = { tools: [tool('a')], parallel_tool_calls: false }
    expect(asked([user], rest).tool_choice).toEqual({ type: 'auto', ...alone })
    expect(asked([user], { ...rest, tool_choice: 'required' }).tool_choice).toEqual({ type: 'any', ...alone })
  })

  it('keep their descriptions and input schemas', () => {
    const parameters = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
    const tools = [
      tool('a', { description: 'd', parameters, strict: true }),
      tool('b'),
      { type: 'web_search_20250305', name: 'web_search' },
    ]
    expect(asked([user], { tools }).tools).toEqual([
      { name: 'a', description: 'd', input_schema: parameters, strict: true },
      { name: 'b', input_schema: { type: 'object', properties: {} } },
      { type: 'web_search_20250305', name: 'web_search' },
    ])
  })

  it('are declared but not callable if the conversation mentions them and none are given', () => {
    const made = asked([
      user,
      { role: 'assistant', tool_calls: [call('a'), call('b')] },
      { role: 'tool', tool_call_id: 'a', content: 'x' },
    ])
    expect(made).toMatchObject({ tools: [{ name: 'read' }], tool_choice: { type: 'none' } })
  })
})

describe('parameters in Anthropic format', () => {
  it.each([
    ['claude-opus-5', 32_000],
    ['claude-haiku-4-5', 32_000],
    ['claude-3-7-sonnet-20250219', 32_000],
    ['claude-3-5-sonnet-20241022', 8_192],
    ['claude-3-haiku-20240307', 4_096],
  ])('default to %s with %i output tokens', (model, most) => {
    expect(asked([user], {}, model).max_tokens).toBe(most)
    expect(asked([user], { max_tokens: 9 }, model).max_tokens).toBe(9)
    expect(asked([user], { max_tokens: 9, max_completion_tokens: 8 }, model).max_tokens).toBe(8)
  })

  it('leave room for an answer if the thinking budget is very large', () => {
    const most = (budget_tokens: number, more: object = {}) =>
      asked([user], { thinking: { type: 'enabled', budget_tokens }, ...more }).max_tokens
    expect([most(4_000), most(32_000), most(40_000), most(4_000, { max_tokens: 5_000 })]).toEqual([
      32_000, 40_192, 48_192, 5_000,
    ])
  })

  it.each([
    ['claude-opus-5', 'high', 'high'],
    ['claude-opus-4-5-20251101', 'minimal', 'low'],
    ['claude-sonnet-4-6', 'medium', 'medium'],
    ['claude-sonnet-4-5', 'high', undefined],
    ['claude-haiku-4-5', 'high', undefined],
    ['claude-opus-4-1-20250805', 'high', undefined],
    ['claude-sonnet-4-20250514', 'high', undefined],
    ['claude-3-7-sonnet-20250219', 'high', undefined],
    ['claude-opus-5', 'none', undefined],
    ['claude-opus-5', 'constructor', undefined],
  ])('ask %s for effort %s as %s', (model, reasoning_effort, expected) => {
    const made = asked([user], { reasoning_effort }, model)
    expect((made.output_config as { effort?: string } | undefined)?.effort).toBe(expected)
  })

  it('translate OpenAI parameters and pass unknown ones', () => {
    const schema = { type: 'object', properties: {} }
    const made = asked([user], {
      temperature: 1.7,
      stop: 'END',
      user: 'u1',
      metadata: { any: 'thing' },
      service_tier: 'default',
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema } },
      n: 2,
      seed: 1,
      top_k: 5,
      thinking: { type: 'adaptive' },
      some_new_thing: [1],
    })
    expect(made).toEqual({
      model: 'claude-opus-5',
      max_tokens: 32_000,
      temperature: 1,
      stop_sequences: ['END'],
      metadata: { user_id: 'u1' },
      service_tier: 'standard_only',
      output_config: { format: { type: 'json_schema', schema } },
      top_k: 5,
      thinking: { type: 'adaptive' },
      some_new_thing: [1],
      stream: true,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'q' }] }],
    })
  })
})
