import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from './gateway-clients.test-kit.ts'

let gateway: TestGateway
beforeAll(async () => {
  gateway = await startTestGateway()
  gateway.scripted.script('a', { text: 'one says' })
  gateway.scripted.script('b', { text: 'two says' })
})
afterAll(() => gateway.stop())

const ITERATIONS = 20
const of = (session: string) => ({ headers: { 'X-Panoptes-Session-Id': session } })

describe.each([true, false])('the tool loop of the openai SDK, streamed: %s', (stream) => {
  it(`runs ${ITERATIONS} times, asks the references once, and keeps the prefix byte for byte`, async () => {
    const session = `loop-${stream}`
    const [advised, acted] = [gateway.asked('a').length, gateway.asked('act').length]
    const call = (n: number) => ({ calls: [{ id: `call_${n}`, name: 'step', input: { n } }] })
    const calls = Array.from({ length: ITERATIONS - 1 }, (_, n) => call(n + 1))
    gateway.scripted.script('act', ...calls, { text: 'through' })
    const done: number[] = []
    const step = {
      name: 'step',
      description: 'Does a step.',
      parameters: { type: 'object', properties: { n: { type: 'integer' } } },
      parse: (text: string) => JSON.parse(text) as { n: number },
      function: ({ n }: { n: number }) => {
        done.push(n)
        return `step ${n} is done`
      },
    }
    const asked = {
      model: 'moa/p',
      messages: [
        { role: 'system' as const, content: 'Work in steps.' },
        { role: 'user' as const, content: `Do it, ${session}.` },
      ],
      tools: [{ type: 'function' as const, function: step }],
    }
    const options = { ...of(session), maxChatCompletions: ITERATIONS + 5 }
    const runner = stream
      ? gateway.client.chat.completions.runTools({ ...asked, stream: true }, options)
      : gateway.client.chat.completions.runTools({ ...asked }, options)
    expect(await runner.finalContent()).toBe('through')
    expect(done).toEqual(Array.from({ length: ITERATIONS - 1 }, (_, n) => n + 1))

    expect(gateway.asked('a').length - advised).toBe(1)
    const requests = gateway.asked('act').slice(acted)
    expect(requests).toHaveLength(ITERATIONS)
    const conversations = requests.map(({ body }) => body.messages.slice(0, -1))
    for (const [n, { text }] of requests.entries()) {
      const kept = JSON.stringify(conversations[n]).slice(0, -1)
      const at = text.indexOf(kept)
      expect(at).toBeGreaterThan(0)
      expect(requests[n + 1]?.text.startsWith(text.slice(0, at + kept.length)) ?? true).toBe(true)
    }

    const lines = await gateway.lines(session)
    expect(lines.map(({ references }) => references.length)).toEqual([2, ...calls.map(() => 0)])
    expect(lines.map(({ iteration }) => iteration)).toEqual(requests.map((_, n) => n + 1))
    expect(new Set(lines.map(({ turn_id }) => turn_id)).size).toBe(1)
    expect(lines[0]?.aggregator.tool_calls).toMatchObject([{ id: 'call_1', function: { name: 'step' } }])
    const place = stream ? 'inline_from_stream' : 'inline'
    expect(lines.at(-1)?.aggregator).toMatchObject({ output: 'through', output_location: place })
    const [turn, ...others] = await gateway.turns(session)
    expect(others).toEqual([])
    expect(turn).toMatchObject({ id: lines[0]?.turn_id, iterations: ITERATIONS, status: 'done' })
    expect(turn?.slots).toHaveLength(2 + ITERATIONS)
  })
})

describe('a request of the openai SDK', () => {
  it('reaches the acting model unchanged: images, formats, tool choices and unknown fields', async () => {
    gateway.scripted.script('act', { text: '{"color":"red"}' })
    const image = { type: 'image_url' as const, image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
    const parameters = {
      response_format: {
        type: 'json_schema' as const,
        json_schema: { name: 'color', strict: true, schema: { type: 'object' } },
      },
      tools: [{ type: 'function' as const, function: { name: 'look', parameters: { type: 'object' } } }],
      tool_choice: { type: 'function' as const, function: { name: 'look' } },
      parallel_tool_calls: false,
      seed: 7,
      logit_bias: { '50256': -100 },
      not_known_to_anyone: { deep: [1, null, 'x'] },
    }
    const messages = [
      { role: 'user' as const, content: [{ type: 'text' as const, text: 'Which color?' }, image] },
    ]
    const reply = await gateway.client.chat.completions.create(
      { model: 'moa/p', messages, ...parameters } as never,
      of('whole'),
    )
    expect((reply as { choices: unknown }).choices).toMatchObject([
      { message: { role: 'assistant', content: '{"color":"red"}' }, finish_reason: 'stop' },
    ])
    const acting = gateway.asked('act').at(-1)?.body
    expect(acting).toMatchObject(parameters)
    expect(acting?.messages[0]).toEqual(messages[0])
    const advising = gateway.asked('a').at(-1)
    expect(Object.keys(parameters).filter((name) => name in (advising?.body ?? {}))).toEqual([])
    expect(advising?.text).toContain('Which color?')
    expect(advising?.text).not.toContain('base64')
  })

  it('assembles a stream into the whole answer, with the usage of all models', async () => {
    gateway.scripted.script('act', { text: 'Größe: 3 µm — 例', pieces: 7, reasoning: 'first think' })
    const stream = gateway.client.chat.completions.stream({
      model: 'moa/p',
      messages: [{ role: 'user', content: 'How large?' }],
      stream_options: { include_usage: true },
    })
    const whole = await stream.finalChatCompletion()
    expect(whole.choices[0]?.message.content).toBe('Größe: 3 µm — 例')
    expect(whole.model).toBe('moa/p')
    expect(whole.usage?.total_tokens).toBe(3 * 150)
  })

  it('stops the answer when it is aborted, and records the turn as stopped', async () => {
    gateway.scripted.script('act', { text: 'x'.repeat(400), pieces: 400, pace: 20 })
    const before = gateway.scripted.left.length
    const stop = new AbortController()
    const stream = await gateway.client.chat.completions.create(
      { model: 'moa/p', messages: [{ role: 'user', content: 'Go on for ever.' }], stream: true },
      { ...of('stopped'), signal: stop.signal },
    )
    let at = 0
    for await (const chunk of stream) {
      if (!chunk.choices[0]?.delta.content) continue
      at = performance.now()
      stop.abort()
    }
    await expect.poll(() => gateway.scripted.left.length - before, { interval: 5 }).toBe(1)
    expect((gateway.scripted.left.at(-1) ?? 0) - at).toBeLessThan(5_000)
    await expect.poll(() => gateway.turns('stopped')).toMatchObject([{ status: 'aborted', iterations: 1 }])
    const [line] = await gateway.lines('stopped')
    expect(line).toMatchObject({ status: 'aborted', aggregator: { error: 'aborted' } })
    expect(line?.references.map(({ output }) => output)).toEqual(['one says', 'two says'])
    expect(line?.aggregator.output).toMatch(/^x+$/)
  })
})

interface Frames {
  readonly data: string[]
  readonly comments: readonly string[]
}

/** Parses events as the standard defines them. Anything that is neither data nor a comment fails the test. */
function framesIn(text: string): Frames {
  expect(text.endsWith('\n\n')).toBe(true)
  const data: string[] = []
  const comments: string[] = []
  for (const frame of text.slice(0, -2).split('\n\n'))
    for (const line of frame.split('\n')) {
      if (line.startsWith(':')) comments.push(line.slice(1).trim())
      else if (line.startsWith('data: ')) data.push(line.slice(6))
      else throw new Error(`A line that is neither: ${line}`)
    }
  return { data, comments }
}

describe('a client that reads the raw stream', () => {
  const ask = async (body: object): Promise<Response> =>
    fetch(`${gateway.address}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'moa/p', stream: true, ...body }),
    })

  it('finds only chunks of one answer and one end, and progress as comments', async () => {
    gateway.scripted.script('act', { text: 'line one\nline two\r\n\ndata: three', pieces: 9 })
    const reply = await ask({ messages: [{ role: 'user', content: 'strictly' }] })
    expect(reply.headers.get('content-type')).toMatch(/^text\/event-stream/)
    const { data, comments } = framesIn(await reply.text())
    expect(data.pop()).toBe('[DONE]')
    const chunks = data.map((each) => JSON.parse(each))
    for (const chunk of chunks)
      expect(chunk).toMatchObject({
        object: 'chat.completion.chunk',
        model: 'moa/p',
        choices: [{ index: 0 }],
      })
    expect(new Set(chunks.map(({ id }) => id)).size).toBe(1)
    expect(chunks[0].choices[0].delta.role).toBe('assistant')
    const text = chunks.map(({ choices }) => choices[0].delta.content ?? '').join('')
    expect(text).toBe('line one\nline two\r\n\ndata: three')
    expect(chunks.filter(({ choices }) => choices[0].finish_reason !== null)).toHaveLength(1)
    expect(chunks.some((chunk) => 'usage' in chunk && chunk.usage)).toBe(false)
    expect(comments.map((each) => each.split(' ')[0])).toEqual([
      'moa.asking',
      'moa.progress',
      'moa.progress',
      'moa.reference',
      'moa.reference',
      'moa.aggregating',
    ])
  })

  it('gets usage in one last chunk without choices, if it asks for that', async () => {
    gateway.scripted.script('act', { text: 'so' })
    const reply = await ask({
      messages: [{ role: 'user', content: 'with usage' }],
      stream_options: { include_usage: true },
    })
    const { data } = framesIn(await reply.text())
    const last = JSON.parse(data.at(-2) ?? '')
    expect(last.choices).toEqual([])
    expect(last.usage).toMatchObject({ total_tokens: 450 })
    expect(last.usage.panoptes.slots.map(({ label }: { label: string }) => label)).toEqual([
      'local:a',
      'local:b',
      'local:act',
    ])
  })

  it('gets an error if an answer breaks off, and the stream ends', async () => {
    gateway.scripted.script('act', { text: 'half of it', pieces: 4, diesAfter: 3 })
    const reply = await ask({ messages: [{ role: 'user', content: 'break' }] })
    const { data } = framesIn(await reply.text())
    const errors = data.filter((each) => each.includes('"error"'))
    expect(errors).toHaveLength(1)
    expect(JSON.parse(errors[0] ?? '')).toMatchObject({ error: { code: 'network', type: 'server_error' } })
  })

  it('can make many requests at once, and each gets its own answer', async () => {
    const models = Array.from({ length: 12 }, (_, n) => `m${n}`)
    for (const model of models) gateway.scripted.script(model, { text: `answer of ${model}`, delay: 20 })
    const said = await Promise.all(
      models.map(async (model) => {
        const reply = await ask({ model: `local/${model}`, messages: [{ role: 'user', content: model }] })
        const { data } = framesIn(await reply.text())
        return data
          .slice(0, -1)
          .map((each) => JSON.parse(each).choices[0]?.delta.content ?? '')
          .join('')
      }),
    )
    expect(said).toEqual(models.map((model) => `answer of ${model}`))
  })
})
