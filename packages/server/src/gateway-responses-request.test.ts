import type OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from './gateway-clients.test-kit.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())

type Asked = OpenAI.Responses.ResponseCreateParamsNonStreaming
const acting = () => gateway.asked('act').at(-1)?.body

const STEP = {
  type: 'function' as const,
  name: 'step',
  description: 'Does a step.',
  strict: false,
  parameters: { type: 'object', properties: { n: { type: 'integer' } } },
}

describe('a request to the Responses API', () => {
  it('reaches the model as a chat completion', async () => {
    gateway.scripted.script('act', { text: '{}' })
    const schema = { type: 'object' }
    await gateway.client.responses.create({
      model: 'local/act',
      input: [
        { role: 'developer', content: 'Be short.' },
        {
          role: 'user',
          content: [
            { type: 'input_text', text: 'Which color?' },
            { type: 'input_image', image_url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' },
          ],
        },
        { type: 'reasoning', id: 'rs_1', summary: [] },
        {
          type: 'local_shell_call',
          id: 'x',
          call_id: 's1',
          status: 'completed',
          action: { type: 'exec', command: ['ls'], env: {} },
        },
        { type: 'local_shell_call_output', id: 's1', call_id: 's1', output: 'a' } as never,
      ],
      instructions: 'Look.',
      tools: [STEP, { type: 'web_search' }],
      tool_choice: { type: 'function', name: 'step' },
      parallel_tool_calls: false,
      reasoning: { effort: 'low', summary: 'auto' },
      text: { format: { type: 'json_schema', name: 'c', schema, strict: true }, verbosity: 'low' },
      max_output_tokens: 99,
      temperature: 0.5,
      store: false,
      include: ['reasoning.encrypted_content'],
      prompt_cache_key: 'k',
      metadata: { a: 'b' },
    })
    const { name, description, parameters, strict } = STEP
    expect(acting()).toEqual({
      model: 'act',
      stream: false,
      messages: [
        { role: 'system', content: 'Look.\n\nBe short.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Which color?' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=', detail: 'low' } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: 's1',
              type: 'function',
              function: { name: 'local_shell', arguments: '{"type":"exec","command":["ls"],"env":{}}' },
            },
          ],
        },
        { role: 'tool', tool_call_id: 's1', content: 'a' },
      ],
      tools: [{ type: 'function', function: { name, description, parameters, strict } }],
      tool_choice: { type: 'function', function: { name: 'step' } },
      parallel_tool_calls: false,
      reasoning_effort: 'low',
      response_format: { type: 'json_schema', json_schema: { name: 'c', schema, strict: true } },
      verbosity: 'low',
      max_completion_tokens: 99,
      temperature: 0.5,
    })
  })

  it("may have free-form tools and namespaces, and calls come back under the client's names", async () => {
    const calls = [
      { id: 'c1', name: 'patch', input: { input: '*** Begin\n"x"' } },
      { id: 'c2', name: 'crew__spawn', input: { n: 1 } },
    ]
    gateway.scripted.script('act', { calls })
    const tools = [
      {
        type: 'custom',
        name: 'patch',
        description: 'Patches.',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
      },
      { type: 'namespace', name: 'crew', description: 'A crew.', tools: [{ ...STEP, name: 'spawn' }] },
    ] as never
    const asked: Asked = { model: 'local/act', input: 'Go.', tools }
    const back = [
      { type: 'custom_tool_call', call_id: 'c1', name: 'patch', input: '*** Begin\n"x"' },
      { type: 'function_call', call_id: 'c2', name: 'spawn', namespace: 'crew', arguments: '{"n":1}' },
    ]
    const { output } = await gateway.client.responses.create(asked)
    expect(output).toMatchObject(back)
    const sent = JSON.stringify(acting()?.tools)
    expect(sent).toContain('follows this lark grammar')
    const types: string[] = []
    const stream = gateway.client.responses.stream(asked as never)
    for await (const { type } of stream) types.push(type)
    expect((await stream.finalResponse()).output).toMatchObject(back)
    expect(types).toContain('response.custom_tool_call_input.done')

    const outputs = [
      { type: 'custom_tool_call_output', call_id: 'c1', output: 'patched' },
      {
        type: 'function_call_output',
        call_id: 'c2',
        output: [
          { type: 'input_text', text: 'seen' },
          { type: 'input_image', image_url: 'data:,' },
        ],
      },
    ]
    await gateway.client.responses.create({ ...asked, input: [...output, ...outputs] as never })
    expect(acting()?.messages).toMatchObject([
      {
        role: 'assistant',
        tool_calls: calls.map(({ id, name, input }) => ({
          id,
          function: { name, arguments: JSON.stringify(input) },
        })),
      },
      { role: 'tool', tool_call_id: 'c1', content: 'patched' },
      { role: 'tool', tool_call_id: 'c2', content: 'seen' },
      { role: 'user', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] },
    ])
  })

  it.each([
    [
      { previous_response_id: 'resp_1' },
      /does not support previous_response_id\. Send the whole conversation/,
    ],
    [{ conversation: 'conv_1' }, /does not support conversation/],
    [{ background: true }, /does not support background/],
    [{ input: [{ type: 'item_reference', id: 'x' }] }, /does not support item_reference/],
    [{ input: 7 }, /input must be a text or a list/],
    [{ input: [] }, /must not be empty/],
    [{ model: 'nothing/x' }, /nothing/],
    [{ model: 'moa/none' }, /none/],
  ])('is refused as OpenAI would refuse it: %o', async (asked, message) => {
    const reply = await fetch(`${gateway.address}/responses`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'moa/p', input: 'x', ...asked }),
    })
    expect([400, 404]).toContain(reply.status)
    const { error } = (await reply.json()) as { error: { message: string; type: string } }
    expect(error.type).toBe('invalid_request_error')
    expect(error.message).toMatch(message)
  })

  it('belongs to the session that Codex names', async () => {
    gateway.scripted.script('act', { text: 'ok' })
    const headers = { 'thread-id': 'thread-1', 'session-id': 'session-1' }
    await gateway.client.responses.create({ model: 'moa/p', input: 'Go.' }, { headers })
    expect(await gateway.turns('thread-1')).toHaveLength(1)
  })
})
