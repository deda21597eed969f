import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Asked, askRaw, startTestServer, type TestServer } from './server.test-kit.ts'

let kit: TestServer
beforeAll(async () => {
  kit = await startTestServer({ config: { server: { allowed_hosts: ['box.test', 'proxy.test:443'] } } })
})
afterAll(() => kit.stop())

const ask = (asked: Asked) => askRaw(kit.server.port, asked)
const bearer = async (scope: 'full' | 'ingest' | 'gateway') => ({
  authorization: `Bearer ${await kit.token(scope)}`,
})

const places = [
  ['a known route', { path: '/api/status' }],
  ['an unknown route', { path: '/api/nothing' }],
  ['the page', { path: '/' }],
  ['a post', { path: '/events', method: 'POST' }],
  ['the stream', { path: '/stream', upgrade: true }],
  ['an unknown stream', { path: '/elsewhere', upgrade: true }],
] as const satisfies readonly (readonly [string, Asked])[]

describe.each(places)('%s', (_name, place) => {
  it('requires a token', async () => {
    const answer = await ask(place)
    expect(answer.status).toBe(401)
    expect(JSON.parse(answer.text)).toMatchObject({
      status: 401,
      code: 'no_token',
      next: expect.stringContaining('panoptes up'),
    })
  })

  it.each(['Bearer wrong', 'Bearer ', 'Bearer pn_full_', 'Basic abc', ''])(
    'refuses the token %j',
    async (authorization) => {
      expect((await ask({ ...place, headers: { authorization } })).status).toBe(401)
    },
  )

  it.each(['evil.test', 'localhost', '127.0.0.1:1', 'rebind.test:80', '127.0.0.1.evil.test'])(
    'refuses the host %s even with a token',
    async (host) => {
      const answer = await ask({ ...place, headers: { ...(await bearer('full')), host } })
      expect(answer.status).toBe(421)
      expect(answer.headers['content-security-policy']).not.toContain(host)
    },
  )

  it.each(['http://evil.test', 'null', 'https://127.0.0.1:1', 'file://', ''])(
    'refuses the origin %j even with a token',
    async (origin) => {
      expect((await ask({ ...place, headers: { ...(await bearer('full')), origin } })).status).toBe(403)
    },
  )

  it('refuses fetches by a page on another port of this host', async () => {
    const headers = { ...(await bearer('full')), 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }
    expect((await ask({ ...place, headers })).status).toBe(403)
  })

  it('has a request id in every answer, and no CORS headers for other sites', async () => {
    for (const headers of [{}, await bearer('full'), { host: 'evil.test' }]) {
      const answer = await ask({ ...place, headers })
      expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/)
      expect(answer.headers['content-security-policy']).toContain("default-src 'self'")
      expect(answer.headers['content-security-policy']).toContain("frame-ancestors 'none'")
      expect(answer.headers['x-content-type-options']).toBe('nosniff')
      expect(answer.headers['referrer-policy']).toBe('no-referrer')
      expect(answer.headers['cross-origin-opener-policy']).toBe('same-origin')
      expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin')
      expect(answer.headers['permissions-policy']).toContain('camera=()')
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  })
})

describe('allowed hosts and origins', () => {
  it.each([
    [() => `localhost:${kit.server.port}`],
    [() => `[::1]:${kit.server.port}`],
    [() => `LOCALHOST:${kit.server.port}`],
    [() => 'box.test'],
    [() => `box.test:${kit.server.port}`],
    [() => 'proxy.test:443'],
  ])('accept the host and origin of case %#', async (host) => {
    const headers = { ...(await bearer('full')), host: host(), origin: `http://${host()}` }
    expect((await ask({ path: '/api/tokens', headers })).status).toBe(200)
  })

  it('apply to /health, which needs no token', async () => {
    const open = await ask({ path: '/health' })
    expect(JSON.parse(open.text)).toEqual({ ok: true, version: '1.2.3' })
    expect((await ask({ path: '/health', headers: { host: 'evil.test' } })).status).toBe(421)
    expect((await ask({ path: '/health', headers: { origin: 'http://evil.test' } })).status).toBe(403)
  })
})

describe('token scopes', () => {
  it.each([
    ['ingest', 'POST', '/events', 200],
    ['ingest', 'POST', '/hooks/claude-code', 200],
    ['ingest', 'POST', '/v1/traces', 415],
    ['ingest', 'GET', '/events', 403],
    ['ingest', 'GET', '/api/events', 403],
    ['ingest', 'GET', '/metrics', 403],
    ['ingest', 'POST', '/api/stop', 403],
    ['ingest', 'POST', '/api/tokens/full/reveal', 403],
    ['ingest', 'POST', '/v1/chat/completions', 403],
    ['ingest', 'POST', '/v1/responses', 403],
    ['ingest', 'GET', '/nothing', 403],
    ['gateway', 'GET', '/v1/models', 404],
    ['gateway', 'POST', '/v1/chat/completions', 404],
    ['gateway', 'POST', '/v1/responses', 404],
    ['gateway', 'GET', '/v1/responses', 404],
    ['gateway', 'POST', '/events', 403],
    ['gateway', 'GET', '/api/status', 403],
    ['full', 'GET', '/api/nothing', 404],
    ['full', 'POST', '/events', 200],
  ] as const)('let the %s token at %s %s get %d', async (scope, method, path, status) => {
    expect((await ask({ method, path, headers: await bearer(scope) })).status).toBe(status)
  })

  it('refuse the stream to a token that may only send', async () => {
    expect((await ask({ path: '/stream', upgrade: true, headers: await bearer('ingest') })).status).toBe(403)
    expect((await ask({ path: '/stream', upgrade: true, headers: await bearer('full') })).status).toBe(101)
  })

  it('apply to every spelling of a path', async () => {
    for (const path of [
      '/events/../api/status',
      '/hooks/../api/status',
      '/hooks/%2e%2e/api/status',
      '//api/status',
    ]) {
      const answer = await ask({ method: 'POST', path, headers: await bearer('ingest') })
      expect([403, 404]).toContain(answer.status)
    }
  })
})

describe('methods and paths', () => {
  it('name the allowed methods in a 405', async () => {
    const answer = await ask({ path: '/events', method: 'DELETE', headers: await bearer('full') })
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('POST')
    expect(
      (await ask({ path: '/api/health', method: 'PUT', headers: await bearer('full') })).headers.allow,
    ).toBe('GET, POST, HEAD')
  })

  it('answer an unknown path with a problem that names the request', async () => {
    const answer = await ask({ path: '/api/nothing', headers: await bearer('full') })
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(JSON.parse(answer.text)).toMatchObject({
      status: 404,
      code: 'not_found',
      next: expect.stringContaining('openapi'),
      request_id: answer.headers['x-request-id'],
    })
  })

  it('treat an offer of HTTP/2 as an ordinary request', async () => {
    const headers = {
      connection: 'Upgrade, HTTP2-Settings',
      upgrade: 'h2c',
      'http2-settings': 'AAMAAABkAAQAoAAA',
    }
    expect((await ask({ path: '/health', headers })).status).toBe(200)
    expect(
      (await ask({ path: '/events', method: 'POST', headers: { ...headers, ...(await bearer('ingest')) } }))
        .status,
    ).toBe(200)
  })

  it('ask for an upgrade if the stream is requested as a page', async () => {
    expect((await ask({ path: '/stream', headers: await bearer('full') })).status).toBe(426)
  })
})

describe('an invalid WebSocket handshake', () => {
  it('is refused with a problem like any other request', async () => {
    const headers = { ...(await bearer('full')), 'sec-websocket-key': 'short' }
    const answer = await ask({ path: '/stream', upgrade: true, headers })
    expect(answer.status).toBe(400)
    expect(answer.headers['content-type']).toBe('application/problem+json')
  })
})

describe('an unreadable request', () => {
  const say = (text: string): Promise<string> => {
    const { promise, resolve, reject } = Promise.withResolvers<string>()
    const socket = connect(kit.server.port, '127.0.0.1', () => socket.end(text))
    let answer = ''
    socket.setEncoding('utf8').on('data', (part: string) => {
      answer += part
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
    return promise
  }

  it.each([
    ['no Host', 'GET /health HTTP/1.0\r\n\r\n', 400],
    ['a Host that is none', 'GET /health HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n', 400],
    ['noise', 'hello\r\n\r\n', 400],
    ['endless headers', `GET / HTTP/1.1\r\nHost: x\r\nA: ${'a'.repeat(40_000)}\r\n\r\n`, 431],
  ])('with %s is refused with a problem like any other request', async (_name, text, status) => {
    const answer = await say(text)
    expect(answer).toContain(`HTTP/1.1 ${status}`)
    expect(answer.toLowerCase()).toContain('content-type: application/problem+json')
    expect(answer.toLowerCase()).toContain('x-request-id: ')
    expect(answer.toLowerCase()).toContain("default-src 'self'")
  })
})
