import { createHmac } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { gzipSync } from 'node:zlib'
import { webhookSecretFile } from '@panoptes/engine/home'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { session, startTestServer, type TestServer } from './server.test-kit.ts'

const LEVELS = 500_000
const deep = '['.repeat(LEVELS) + ']'.repeat(LEVELS)
const TOO_DEEP = 'nested deeper than 512 levels'

let kit: TestServer
beforeAll(async () => {
  kit = await startTestServer()
})
afterAll(() => kit.stop())

const post = (path: string, body: string | Buffer, headers: Record<string, string> = {}) =>
  kit.request(path, {
    method: 'POST',
    body: typeof body === 'string' ? body : new Uint8Array(body),
    headers: { 'content-type': 'application/json', ...headers },
  })
const event = (a: string) => `{"event":"note","session_id":"s","a":${a}}`

describe('a body with 500,000 levels', () => {
  it.each([
    ['a list', deep],
    ['an event', event(deep)],
    ['an event over several lines', event(deep).replaceAll('{', '{\n')],
    ['a list of one event', `[${event(deep)}]`],
    ['nothing but beginnings', '['.repeat(LEVELS)],
  ])('is refused with 400 at /events as %s', async (_name, body) => {
    for (const sent of [
      post('/events', body),
      post('/events', gzipSync(body), { 'content-encoding': 'gzip' }),
    ]) {
      const answer = await sent
      expect(answer.status).toBe(400)
      expect(await answer.text()).toContain(TOO_DEEP)
    }
  })

  it('costs only its own event among others', async () => {
    const others = [session('before'), session('after')].map((each) => JSON.stringify(each))
    const answer = await post('/events', [others[0], event(deep), others[1]].join('\n'))
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ accepted: 2, rejected: [{ line: 2 }] })
  })

  it.each(['/hooks/claude-code', '/v1/traces'])('is refused with 400 at %s', async (path) => {
    for (const body of [deep, `{"hook_event_name":"Stop","messages":${deep},"resourceSpans":${deep}}`]) {
      const answer = await post(path, body)
      expect(answer.status).toBe(400)
      expect(await answer.text()).toContain(TOO_DEEP)
    }
  })

  it('is refused with 400 even if Hermes signed it', async () => {
    const secret = (await readFile(webhookSecretFile(kit.paths), 'utf8')).trim()
    const signature = createHmac('sha256', secret).update(deep).digest('hex')
    const answer = await post('/hooks/hermes', deep, { 'x-hermes-signature-256': `sha256=${signature}` })
    expect(answer.status).toBe(400)
  })

  it('costs a span only the attribute', async () => {
    const span = {
      traceId: 'a'.repeat(32),
      spanId: 'b'.repeat(16),
      name: 'chat',
      startTimeUnixNano: '1790000000000000000',
      endTimeUnixNano: '1790000001000000000',
      attributes: [
        { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
        { key: 'gen_ai.conversation.id', value: { stringValue: 'deep' } },
        { key: 'gen_ai.request.model', value: 'deep value' },
      ],
    }
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
    const answer = await post('/v1/traces', body.replace('"deep value"', deep))
    expect([answer.status, await answer.json()]).toEqual([200, {}])
    const page = (await (await kit.request('/api/events?session=deep')).json()) as { events: unknown[] }
    expect(page.events.length).toBeGreaterThan(0)
  })
})
