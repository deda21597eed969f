import { randomUUID } from 'node:crypto'
import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from './gateway-clients.test-kit.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
})
afterAll(() => gateway.stop())
beforeEach(() => {
  gateway.scripted.requests.length = 0
  for (const model of ['a', 'b', 'act']) gateway.scripted.script(model, { text: `${model} says so` })
})

const ofSession = (session: Asking['session']) => ({
  headers: { 'x-panoptes-session-id': typeof session === 'string' ? session : session() },
})
const counts = (...models: readonly string[]) => models.map((model) => gateway.asked(model).length)

interface Asking {
  readonly model: string
  readonly session: string | (() => string)
  readonly stream: boolean
  readonly more?: object
}

type Said = ChatCompletionMessageParam & { tool_calls?: { id: string }[] }

/** The model's message, assembled as a streaming client does it. */
async function said(
  messages: readonly ChatCompletionMessageParam[],
  { model, session, stream, more }: Asking,
): Promise<Said> {
  const asked = { model, messages: [...messages], ...more }
  const { completions } = gateway.client.chat
  if (!stream) {
    const reply = await completions.create(asked, ofSession(session))
    return reply.choices[0]?.message as Said
  }
  const reply = await completions.stream(asked, ofSession(session)).finalChatCompletion()
  return reply.choices[0]?.message as Said
}

/** A client with a tool loop; each step is one request. */
function client(question: string, asking: Asking, keeps = (message: Said): Said => message) {
  const messages: ChatCompletionMessageParam[] = [{ role: 'user', content: question }]
  let steps = 0
  return async (isLast = false) => {
    const id = `toolu_${question.replace(/\W/g, '_')}_${steps}`
    gateway.scripted.script(
      'act',
      isLast
        ? { text: 'done' }
        : { reasoning: `thought ${steps}`, calls: [{ id, name: 'run', input: { steps } }] },
    )
    const message = await said(messages, asking)
    messages.push(keeps(message))
    for (const call of message.tool_calls ?? [])
      messages.push({ role: 'tool', tool_call_id: call.id, content: `result ${steps}` })
    steps += 1
  }
}

describe('interleaved loops of twenty calls in one session', () => {
  it.each([
    [2, true],
    [2, false],
    [3, true],
    [3, false],
  ])('ask the references once each: %i loops, streamed: %s', async (count, stream) => {
    const session = `loops-${count}-${stream}`
    const asking = { model: 'moa/p', session, stream }
    const loops = Array.from({ length: count }, (_, at) => client(`question ${at}`, asking))
    for (let n = 0; n < 20; n += 1) for (const next of loops) await next(n === 19)
    expect(counts('a', 'b', 'act')).toEqual([count, count, 20 * count])
    const turns = await gateway.turns(session)
    expect(turns.map(({ iterations, status, slots }) => [iterations, status, slots.length])).toEqual(
      Array.from({ length: count }, () => [20, 'done', 22]),
    )
    const lines = await gateway.lines(session)
    expect(lines.filter(({ references }) => references.length > 0)).toHaveLength(count)
    expect(lines).toHaveLength(20 * count)
  })

  it('ask the references once each, also with requests for a title and a summary in between', async () => {
    const asking = { model: 'moa/p', session: 'sides', stream: true }
    const next = client('the work', asking)
    for (let n = 0; n < 20; n += 1) {
      await next(n === 19)
      gateway.scripted.script('act', { text: 'a title' })
      if (n % 5 === 0) await said([{ role: 'user', content: `summary ${n}` }], asking)
    }
    expect(counts('a', 'b', 'act')).toEqual([5, 5, 24])
    const [work] = (await gateway.turns('sides')).filter(({ question }) => question === 'the work')
    expect(work).toMatchObject({ iterations: 20 })
  })

  it('ask the references again after all of them failed, until one answers', async () => {
    const next = client('q', { model: 'moa/p', session: 'failing', stream: false })
    gateway.scripted.script('a', { status: 500 }, { text: 'well again' })
    gateway.scripted.script('b', { status: 500 })
    for (let n = 0; n < 5; n += 1) await next()
    expect(counts('a', 'b')).toEqual([2, 2])
    expect(gateway.asked('act').at(-1)?.text).toContain('well again')
  })
})

describe('a tool loop with Anthropic thinking', () => {
  const more = { thinking: { type: 'enabled', budget_tokens: 2_000 } }
  const bare = ({ role, content, tool_calls }: Said) => ({ role, content, tool_calls }) as Said
  it.each([
    ['moa/claude', true, 'sends thoughts back', undefined],
    ['moa/claude', false, 'sends thoughts back', undefined],
    ['moa/claude', true, 'does not', bare],
    ['claude/act', false, 'does not', bare],
    ['claude/act', true, 'does not', bare],
  ])('is accepted: %s, streamed: %s, and the client %s', async (model, stream, _, keeps) => {
    // A new session each time: nothing is remembered from one session to another.
    const session = keeps ? 'thinks' : randomUUID
    const next = client(`${model} ${stream} ${keeps}`, { model, session, stream, more }, keeps)
    for (let n = 0; n < 4; n += 1) await next(n === 3)
    const { body } = gateway.asked('act').at(-1) ?? {}
    expect(body?.thinking).toEqual(more.thinking)
    const thoughts = body?.messages
      .flatMap(({ content }) => content as { type: string; thinking?: string }[])
      .filter(({ type }) => type === 'thinking')
    expect(thoughts?.map(({ thinking }) => thinking)).toEqual(['thought 0', 'thought 1', 'thought 2'])
  })
})

describe('a tool loop of the Responses API with Anthropic thinking', () => {
  it('sends the thinking back, although its client does not', async () => {
    const input: object[] = [{ role: 'user', content: 'a loop of responses' }]
    for (let n = 0; n < 3; n += 1) {
      const calls = [{ id: `toolu_r${n}`, name: 'run', input: { n } }]
      gateway.scripted.script('act', n === 2 ? { text: 'done' } : { reasoning: `thought ${n}`, calls })
      const asked = { model: 'moa/claude', input, store: false }
      const reply = await gateway.client.responses.create(asked as never)
      expect(reply.status).toBe('completed')
      for (const item of reply.output) {
        if (item.type !== 'function_call') continue
        input.push(item, { type: 'function_call_output', call_id: item.call_id, output: 'x' })
      }
    }
    const { text = '' } = gateway.asked('act').at(-1) ?? {}
    for (const n of [0, 1]) expect(text).toContain(`"thinking":"thought ${n}","signature":"signed:`)
  })
})

describe('the usage of a single model', () => {
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 10,
    total_tokens: 110,
    cost: 0.0123,
    prompt_tokens_details: { cached_tokens: 60, audio_tokens: 5, cache_write_tokens: 20 },
    completion_tokens_details: null,
    cost_details: { upstream: 0.01 },
  }
  it.each([true, false])('has the fields that its provider sent, streamed: %s', async (stream) => {
    gateway.scripted.script('act', { text: 'x', usage })
    const asked = { model: 'local/act', messages: [{ role: 'user' as const, content: 'q' }] }
    const { completions } = gateway.client.chat
    const reply = stream
      ? await completions.stream({ ...asked, stream_options: { include_usage: true } }).finalChatCompletion()
      : await completions.create(asked)
    const { completion_tokens_details: _none, ...told } = usage
    expect(reply.usage).toEqual(told)
  })

  it("has OpenAI's fields beside those of Anthropic", async () => {
    gateway.scripted.script('act', {
      text: 'x',
      usage: { input_tokens: 5, output_tokens: 7, cache_creation_input_tokens: 3, service_tier: 'standard' },
    })
    const reply = await gateway.client.chat.completions.create({
      model: 'claude/act',
      messages: [{ role: 'user', content: 'q' }],
    })
    expect(reply.usage).toMatchObject({
      prompt_tokens: 8,
      completion_tokens: 7,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 3 },
      service_tier: 'standard',
    })
  })
})

describe('the session header', () => {
  it.each([
    ['größe-日本', 'größe-日本'],
    ['plain', 'plain'],
    [`${'x'.repeat(199)}😀`, 'x'.repeat(199)],
  ])('may contain any script: %s', async (session, expected) => {
    const raw = Buffer.from(session).toString('latin1')
    const reply = await fetch(`${gateway.address}/chat/completions`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.key}`,
        'content-type': 'application/json',
        'x-panoptes-session-id': raw,
      },
      body: JSON.stringify({ model: 'moa/p', messages: [{ role: 'user', content: session }] }),
    })
    expect(decodeURIComponent(reply.headers.get('x-panoptes-session-id') ?? '')).toBe(expected)
    expect(await gateway.turns(expected)).toHaveLength(1)
  })
})
