import { openMoa } from '@panoptes/engine/moa'
import { createPrices, openProviders } from '@panoptes/engine/models'
import { type ScriptedServer, startScripted } from '@panoptes/engine/testing/scripted-models'
import { moaPreset } from '@panoptes/schema'
import OpenAI from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from './server.test-kit.ts'

let scripted: ScriptedServer
let kit: TestServer
let client: OpenAI
let isBroken = false
beforeAll(async () => {
  scripted = await startScripted()
  const providers = openProviders({
    providers: { local: { kind: 'openai', base_url: `${scripted.url}/v1`, timeout: null, retries: 0 } },
    env: {},
  })
  const slot = (model: string) => ({ provider: 'local', model })
  const presets = {
    p: moaPreset.parse({ reference_models: [slot('a'), slot('b')], aggregator: slot('act') }),
  }
  const moa = openMoa({
    get presets() {
      if (isBroken) throw new Error('odd')
      return presets
    },
    defaultPreset: null,
    privacy: '',
    providers,
    prices: createPrices(),
  })
  kit = await startTestServer({ options: { moa, providers } })
  client = new OpenAI({ apiKey: await kit.token('gateway'), baseURL: `${kit.address}/v1`, maxRetries: 0 })
})
afterAll(async () => {
  await kit.stop()
  await scripted.close()
})

describe('an OpenAI client', () => {
  it('learns from the status why a stream was refused, so that it can wait', async () => {
    scripted.script('one', { status: 429, headers: { 'retry-after': '7' } })
    const asked = {
      model: 'local/one',
      messages: [{ role: 'user' as const, content: 'x' }],
      stream: true as const,
    }
    await expect(client.chat.completions.create(asked)).rejects.toMatchObject({
      status: 429,
      code: 'rate_limited',
    })
  })

  it('gets an answer for any kind of content parts', async () => {
    scripted.script('act', { text: 'fine' })
    const odd = [{ role: 'user', content: [{ type: { toString: 1 } }, { type: 'text', text: 'q' }, null, 7] }]
    const reply = await client.chat.completions.create({ model: 'moa/p', messages: odd as never })
    expect(reply.choices[0]?.message.content).toBe('fine')
  })

  it('may send a chunked body of unknown length', async () => {
    scripted.script('one', { text: 'hi' })
    const body = JSON.stringify({ model: 'local/one', messages: [{ role: 'user', content: 'x' }] })
    const reply = await fetch(`${kit.address}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${await kit.token('gateway')}`, 'content-type': 'application/json' },
      body: new Blob([body]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect(reply.status).toBe(200)
  })

  it('uses a preset like any model, whole and streamed', async () => {
    scripted.script('act', { text: 'the answer' })
    const messages = [{ role: 'user' as const, content: 'why' }]
    const whole = await client.chat.completions.create({ model: 'moa/p', messages })
    expect(whole.choices[0]?.message.content).toBe('the answer')
    expect(whole.usage).toMatchObject({ prompt_tokens: 360, completion_tokens: 90 })
    const stream = await client.chat.completions.create({
      model: 'moa/p',
      messages: [{ role: 'user', content: 'another' }],
      stream: true,
      stream_options: { include_usage: true },
    })
    let text = ''
    let usage: unknown
    for await (const chunk of stream) {
      text += chunk.choices[0]?.delta.content ?? ''
      usage = chunk.usage ?? usage
    }
    expect(text).toBe('the answer')
    expect(usage).toMatchObject({ prompt_tokens: 360 })
  })

  it("uses a provider's model, lists models, and gets the provider's errors", async () => {
    scripted.script('one', { text: 'hi' })
    const reply = await client.chat.completions.create({
      model: 'local/one',
      messages: [{ role: 'user', content: 'x' }],
    })
    expect(reply.choices[0]?.message.content).toBe('hi')
    const models = await client.models.list()
    expect(models.data.map(({ id }) => id)).toEqual(expect.arrayContaining(['moa/p', 'local/one']))
    await expect(
      client.chat.completions.create({ model: 'moa/none', messages: [{ role: 'user', content: 'x' }] }),
    ).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
    scripted.script('one', { status: 429 })
    await expect(
      client.chat.completions.create({ model: 'local/one', messages: [{ role: 'user', content: 'x' }] }),
    ).rejects.toMatchObject({ status: 429, code: 'rate_limited' })
    const stranger = new OpenAI({ apiKey: 'wrong', baseURL: `${kit.address}/v1`, maxRetries: 0 })
    await expect(stranger.models.list()).rejects.toMatchObject({ status: 401, type: 'authentication_error' })
  })

  it('finds a model by its id, also one with slashes, and gets an error for an unknown one', async () => {
    scripted.script('org/deep/one', { text: 'hi' })
    for (const id of ['moa/p', 'local/org/deep/one'])
      expect(await client.models.retrieve(id)).toMatchObject({ id, object: 'model' })
    const bare = await kit.request('/v1/models/local/org/deep/one')
    expect(await bare.json()).toMatchObject({ id: 'local/org/deep/one', owned_by: 'local' })
    for (const id of ['moa/none', 'local/none', 'nobody/x', 'p'])
      await expect(client.models.retrieve(id)).rejects.toMatchObject({ status: 404, code: 'model_not_found' })
  })

  it("gets errors in OpenAI's format for what is missing, forbidden or broken", async () => {
    const told = async (method: string, path: string, token: 'gateway' | 'ingest' | 'full' | null) => {
      const authorization = token === null ? 'Bearer wrong' : `Bearer ${await kit.token(token)}`
      const reply = await kit.request(path, { method, headers: { authorization } })
      const { error } = (await reply.json()) as { error: Record<string, unknown> }
      expect(reply.headers.get('content-type')).toContain('application/json')
      expect(Object.keys(error)).toEqual(['message', 'type', 'param', 'code'])
      return [reply.status, error.type]
    }
    for (const path of [
      '/v1',
      '/v1/',
      '/v1/embeddings',
      '/v1/files/x',
      '/v1/models/',
      '/v1/chat/completions/x',
    ])
      for (const method of ['GET', 'POST', 'DELETE'])
        for (const token of ['gateway', 'full'] as const)
          expect([path, ...(await told(method, path, token))]).toEqual([path, 404, 'invalid_request_error'])
    for (const path of ['/v1/chat/completions', '/v1/responses'])
      expect(await told('GET', path, 'gateway')).toEqual([405, 'invalid_request_error'])
    expect(await told('DELETE', '/v1/models/moa/p', 'gateway')).toEqual([405, 'invalid_request_error'])
    expect(await told('GET', '/v1/embeddings', 'ingest')).toEqual([403, 'permission_error'])
    expect(await told('POST', '/v1/chat/completions', 'ingest')).toEqual([403, 'permission_error'])
    expect(await told('GET', '/v1/models/moa/p', null)).toEqual([401, 'authentication_error'])
    isBroken = true
    expect(await told('GET', '/v1/models', 'gateway')).toEqual([500, 'server_error'])
    isBroken = false
  })

  it('stops every call when it disconnects', async () => {
    scripted.script('a', { hangs: true })
    scripted.script('b', { hangs: true })
    const before = scripted.left.length
    const known = scripted.requests.length
    const stop = new AbortController()
    const asked = client.chat.completions.create(
      { model: 'moa/p', messages: [{ role: 'user', content: 'hang' }], stream: true },
      { signal: stop.signal },
    )
    const settled = asked.catch((error: unknown) => error)
    await expect.poll(() => scripted.requests.length - known).toBe(2)
    stop.abort()
    await settled
    await expect.poll(() => scripted.left.length - before).toBe(2)
  })
})
