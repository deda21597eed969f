import { getEventListeners } from 'node:events'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { anthropicProvider } from './anthropic.ts'
import { type EndpointOptions, openaiProvider } from './openai.ts'
import type { ChatAsk, ChatOptions, ChatPart, Provider } from './port.ts'
import { type ScriptedServer, startScripted } from './scripted.test-kit.ts'

let server: ScriptedServer
beforeAll(async () => {
  server = await startScripted()
})
afterAll(() => server.close())
afterEach(() => {
  server.requests.length = 0
  server.left.length = 0
})

interface Wire {
  readonly open: (options: EndpointOptions) => Provider
  readonly base: () => string
  readonly midError: object
  readonly tooLong: string
}

const wires: Readonly<Record<string, Wire>> = {
  openai: {
    open: openaiProvider,
    base: () => `${server.url}/v1`,
    midError: { error: { message: 'Overloaded', type: 'overloaded_error', code: 'overloaded' } },
    tooLong: JSON.stringify({
      error: { message: 'too much', code: 'context_length_exceeded', type: 'invalid_request_error' },
    }),
  },
  anthropic: {
    open: anthropicProvider,
    base: () => server.url,
    midError: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
    tooLong: JSON.stringify({
      type: 'error',
      error: { type: 'invalid_request_error', message: 'prompt is too long: 300000 tokens' },
    }),
  },
}

async function gathered(parts: AsyncIterable<ChatPart>): Promise<ChatPart[]> {
  const all: ChatPart[] = []
  for await (const part of parts) all.push(part)
  return all
}

describe.each(Object.entries(wires))(
  'provider with the %s API',
  (_kind, { open, base, midError, tooLong }) => {
    const provider = (more: Partial<EndpointOptions> = {}) =>
      open({ name: 'p', baseUrl: base(), apiKey: () => 'sk-test-key', retries: 0, ...more })
    const ask = (model: string, more: Partial<ChatAsk> = {}): ChatAsk => ({
      model,
      messages: [{ role: 'user', content: 'hello' }],
      ...more,
    })
    const all = async (
      model: string,
      { stream = true, ...options }: Partial<ChatOptions> = {},
      more: Partial<ChatAsk> = {},
      of = provider(),
    ): Promise<ChatPart[]> => gathered(of.chat(ask(model, more), { stream, ...options }))
    const last = (parts: readonly ChatPart[]) => parts.at(-1)
    const text = (parts: readonly ChatPart[]) =>
      parts
        .map((part) => (part.type === 'chunk' ? (part.chunk.choices[0]?.delta.content ?? '') : ''))
        .join('')

    it.each([true, false])('returns an answer with its usage, streamed: %s', async (stream) => {
      server.script('m', { text: 'one two three', reasoning: 'hm' })
      const parts = await all('m', { stream })
      expect(text(parts)).toBe('one two three')
      expect(last(parts)).toMatchObject({
        type: 'end',
        reply: {
          text: 'one two three',
          finish_reason: 'stop',
          model: 'm',
          message: { role: 'assistant', content: 'one two three', reasoning_content: 'hm' },
          usage: { input: 20, output: 30, cache_read: 100 },
        },
      })
    })

    it('returns one chunk and the whole answer to a caller that needs no more', async () => {
      server.script('m', { text: 'one two three', pieces: 13 })
      const parts = await all('m', { brief: true })
      expect(parts.map(({ type }) => type)).toEqual(['chunk', 'end'])
      expect(text(parts)).not.toBe('')
      expect(last(parts)).toMatchObject({ reply: { text: 'one two three', usage: { output: 30 } } })
    })

    it.each([true, false])('returns complete tool calls, streamed: %s', async (stream) => {
      const calls = [
        { id: 'a', name: 'read', input: { path: 'x "y".txt' } },
        { id: 'b', name: 'run', input: {} },
      ]
      server.script('m', { text: 'look', calls })
      const end = last(await all('m', { stream }))
      expect(end).toMatchObject({ type: 'end', reply: { finish_reason: 'tool_calls', text: 'look' } })
      if (end?.type !== 'end') return
      const made = end.reply.message.tool_calls as {
        id: string
        function: { name: string; arguments: string }
      }[]
      expect(
        made.map(({ id, function: f }) => ({ id, name: f.name, input: JSON.parse(f.arguments) })),
      ).toEqual(calls)
    })

    it.each([true, false])(
      'returns valid JSON arguments for a call without parameters, streamed: %s',
      async (stream) => {
        server.script('m', { calls: [{ id: 'a', name: 'now', input: {} }] })
        const end = last(await all('m', { stream }))
        expect(end).toMatchObject({
          type: 'end',
          reply: { message: { tool_calls: [{ function: { arguments: '{}' } }] } },
        })
      },
    )

    it('does not follow redirects', async () => {
      server.script('m', { status: 307, headers: { location: 'http://127.0.0.1:9/' }, body: '' })
      expect(last(await all('m'))).toMatchObject({ type: 'failed' })
      expect(server.requests).toHaveLength(1)
    })

    it('keeps every character, wherever the chunks are split', async () => {
      const words = 'naïve 日本語 👩‍👩‍👧 \u0000\u2028 end'
      server.script('m', { text: words, pieces: 40 })
      expect(last(await all('m'))).toMatchObject({ reply: { text: words } })
    })

    it('accepts an empty answer and unknown usage', async () => {
      server.script('m', { text: '', usage: null })
      expect(last(await all('m'))).toMatchObject({
        type: 'end',
        reply: { text: '', finish_reason: 'stop', usage: null },
      })
    })

    it('closes the connection within moments of an abort', async () => {
      server.script('m', { text: 'a long story '.repeat(10), pieces: 100, pace: 200 })
      const stop = new AbortController()
      const answering = all('m', { signal: stop.signal })
      await expect.poll(() => server.requests.length).toBe(1)
      const began = performance.now()
      stop.abort()
      const parts = await answering
      expect(last(parts)).toMatchObject({ type: 'failed', error: { class: 'aborted' } })
      expect(performance.now() - began).toBeLessThan(10_000)
      await expect.poll(() => server.left.length).toBe(1)
    })

    it('sends no request after an abort', async () => {
      const parts = await all('m', { signal: AbortSignal.abort() })
      expect(parts).toMatchObject([{ type: 'failed', error: { class: 'aborted' } }])
      expect(server.requests).toHaveLength(0)
    })

    it('closes the connection when the reader stops', async () => {
      server.script('m', { text: 'a long story', pieces: 10, pace: 50 })
      for await (const part of provider().chat(ask('m'), { stream: true })) if (part.type === 'chunk') break
      await expect.poll(() => server.left.length).toBe(1)
    })

    it.each([
      ['that is cut', { diesAfter: 5 }],
      ['that just ends', { diesAfter: 5, diesQuietly: true }],
    ])('distinguishes a stream %s from a complete one and keeps the partial answer', async (_what, how) => {
      server.script('m', { text: 'one two three', pieces: 13, pace: 10, ...how })
      const end = last(await all('m'))
      expect(end).toMatchObject({
        type: 'failed',
        error: { class: 'network', partial: expect.stringMatching(/^on/) },
      })
    })

    it('reports a chunk that is not JSON', async () => {
      server.script('m', { text: 'one two', garbled: true })
      expect(last(await all('m'))).toMatchObject({ type: 'failed', error: { class: 'bad_reply' } })
    })

    it('reports a body that is not an answer', async () => {
      server.script('m', { body: '"no"' })
      expect(last(await all('m', { stream: false }))).toMatchObject({ type: 'failed' })
    })

    it('passes on an error in the middle of a stream', async () => {
      server.script('m', { text: 'one two', midError })
      expect(last(await all('m'))).toMatchObject({ type: 'failed', error: { class: 'overloaded' } })
    })

    it('reports a wrong key without revealing it', async () => {
      server.script('m', {
        status: 401,
        body: JSON.stringify({ error: { message: 'bad key sk-test-key-0123456789abcdef' } }),
      })
      const end = last(await all('m'))
      expect(end).toMatchObject({ type: 'failed', error: { class: 'auth', status: 401 } })
      expect(JSON.stringify(end)).not.toContain('0123456789abcdef')
    })

    it('reports a request that is too long', async () => {
      server.script('m', { status: 400, body: tooLong })
      expect(last(await all('m'))).toMatchObject({ type: 'failed', error: { class: 'too_long' } })
    })

    it('retries when rate limited, after the requested delay', async () => {
      server.script(
        'm',
        { status: 429, headers: { 'retry-after': '1' } },
        { status: 503, headers: { 'retry-after-ms': '10' } },
        { text: 'now' },
      )
      const parts = await all('m', {}, {}, provider({ retries: 2 }))
      expect(last(parts)).toMatchObject({ reply: { text: 'now' } })
      const [first, second] = server.requests.map(({ at }) => at)
      expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(950)
    })

    it('gives up after a number of retries', async () => {
      server.script('m', { status: 429, headers: { 'retry-after-ms': '1' } })
      expect(last(await all('m', {}, {}, provider({ retries: 2 })))).toMatchObject({
        error: { class: 'rate_limited', status: 429 },
      })
      expect(server.requests).toHaveLength(3)
    })

    it('gives up if the first or the next byte does not arrive in time', async () => {
      server.script('m', { hangs: true })
      expect(last(await all('m', { timeoutMs: 100 }))).toMatchObject({ error: { class: 'timeout' } })
      server.script('m', { text: 'one two', pieces: 4, pace: 400 })
      expect(last(await all('m', { timeoutMs: 150 }))).toMatchObject({ error: { class: 'timeout' } })
    })

    it('waits for a slow first byte within the timeout', async () => {
      server.script('m', { text: 'late', delay: 200 })
      expect(last(await all('m', { timeoutMs: 20_000 }))).toMatchObject({ reply: { text: 'late' } })
    })

    it('reports an unreachable server', async () => {
      const nobody = open({ name: 'p', baseUrl: 'http://127.0.0.1:9', apiKey: () => 'k', retries: 0 })
      expect(last(await all('m', {}, {}, nobody))).toMatchObject({
        type: 'failed',
        error: { class: 'network' },
      })
    })

    it('passes unknown parameters', async () => {
      server.script('m', { text: 'yes' })
      await all('m', {}, { rest: { some_new_thing: { deep: [1] }, temperature: 0.25 } })
      expect(server.requests[0]?.body).toMatchObject({
        some_new_thing: { deep: [1] },
        temperature: 0.25,
        model: 'm',
      })
    })

    it('accepts a whole answer although a stream was requested', async () => {
      server.script('m', {
        text: 'all at once',
        calls: [{ id: 'a', name: 'x', input: { y: 1 } }],
        whole: true,
      })
      const parts = await all('m')
      expect(text(parts)).toBe('all at once')
      expect(last(parts)).toMatchObject({
        type: 'end',
        reply: {
          text: 'all at once',
          usage: { output: 30 },
          message: { tool_calls: [{ id: 'a', function: { name: 'x', arguments: '{"y":1}' } }] },
        },
      })
    })

    it('gives up at once and explains if it is asked to wait for an hour', async () => {
      server.script('m', { status: 429, headers: { 'retry-after': '3600' } })
      const began = performance.now()
      expect(last(await all('m', {}, {}, provider({ retries: 5 })))).toMatchObject({
        error: {
          class: 'rate_limited',
          retry: { afterMs: 3_600_000 },
          message: expect.stringContaining('3600 s'),
        },
      })
      expect(performance.now() - began).toBeLessThan(15_000)
      expect(server.requests).toHaveLength(1)
    })

    it('stops waiting for a retry within moments of an abort', async () => {
      server.script('m', { status: 503, headers: { 'retry-after': '20' } })
      const stop = new AbortController()
      const answering = all('m', { signal: stop.signal }, {}, provider({ retries: 2 }))
      await expect.poll(() => server.requests.length).toBe(1)
      setTimeout(() => stop.abort(), 100)
      const began = performance.now()
      expect(last(await answering)).toMatchObject({
        error: { class: 'aborted' },
      })
      expect(performance.now() - began).toBeLessThan(15_000)
      expect(server.requests).toHaveLength(1)
    })

    it('does not retry permanent errors', async () => {
      server.script('m', {
        status: 429,
        body: JSON.stringify({ error: { message: 'no', code: 'insufficient_quota' } }),
        headers: { 'x-should-retry': 'false' },
      })
      await all('m', {}, {}, provider({ retries: 2 }))
      server.script('m', { status: 400 })
      await all('m', {}, {}, provider({ retries: 2 }))
      expect(server.requests).toHaveLength(2)
    })

    it('supports timeouts longer than a timer can be set for', async () => {
      server.script('m', { text: 'late', delay: 50 })
      expect(last(await all('m', { timeoutMs: 1e13 }))).toMatchObject({ reply: { text: 'late' } })
    })

    it('reuses connections and leaves no listeners on a shared signal', async () => {
      server.script('m', { text: 'yes' })
      const warnings: string[] = []
      const warned = ({ name }: Error) => void warnings.push(name)
      process.on('warning', warned)
      const { signal } = new AbortController()
      const one = provider()
      for (let n = 0; n < 10; n += 1)
        await Promise.all(Array.from({ length: 20 }, () => all('m', { signal }, {}, one)))
      await new Promise((done) => setTimeout(done, 10))
      process.off('warning', warned)
      expect(warnings).toEqual([])
      expect(getEventListeners(signal, 'abort')).toEqual([])
      const sockets = new Set(server.requests.map(({ port }) => port))
      expect(server.requests).toHaveLength(200)
      expect(sockets.size).toBeLessThanOrEqual(40)
    })

    it('lists its models', async () => {
      server.script('listed', { text: 'x' })
      const models = await provider().models()
      expect(models.ok && models.value).toContain('listed')
    })
  },
)
