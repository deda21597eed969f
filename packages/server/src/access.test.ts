import { request as httpRequest } from 'node:http'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { session, startTestServer, type TestServer } from './server.test-kit.ts'

let kit: TestServer
beforeAll(async () => {
  kit = await startTestServer({ config: { server: { allowed_hosts: ['box.test', 'proxy.test:443'] } } })
})
afterAll(() => kit.stop())

interface Asked {
  readonly path: string
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly upgrade?: boolean
}

interface Answer {
  readonly status: number
  readonly headers: Record<string, string | string[] | undefined>
  readonly text: string
}

/** As raw as it gets: fetch would not let a test set Host or Origin. */
function ask({ path, method = 'GET', headers = {}, upgrade = false }: Asked): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>()
  const wanted = upgrade
    ? {
        connection: 'upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
      }
    : {}
  const sent = httpRequest(
    { host: '127.0.0.1', port: kit.server.port, path, method, headers: { ...wanted, ...headers } },
    (answer) => {
      let text = ''
      answer.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }))
    },
  )
  sent.on('upgrade', (answer, socket) => {
    socket.destroy()
    resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: '' })
  })
  sent.on('error', reject)
  sent.end()
  return promise
}

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
  it('needs a token', async () => {
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
    'refuses the host %s, also with a token',
    async (host) => {
      const answer = await ask({ ...place, headers: { ...(await bearer('full')), host } })
      expect(answer.status).toBe(421)
      expect(answer.headers['content-security-policy']).not.toContain(host)
    },
  )

  it.each(['http://evil.test', 'null', 'https://127.0.0.1:1', 'file://', ''])(
    'refuses the origin %j, also with a token',
    async (origin) => {
      expect((await ask({ ...place, headers: { ...(await bearer('full')), origin } })).status).toBe(403)
    },
  )

  it('refuses what a page of another port of this host fetches', async () => {
    const headers = { ...(await bearer('full')), 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'no-cors' }
    expect((await ask({ ...place, headers })).status).toBe(403)
  })

  it('says who asked for what in every answer, and lets no other site read it', async () => {
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

describe('hosts and origins that are let in', () => {
  it.each([
    [() => `localhost:${kit.server.port}`],
    [() => `[::1]:${kit.server.port}`],
    [() => `LOCALHOST:${kit.server.port}`],
    [() => 'box.test'],
    [() => `box.test:${kit.server.port}`],
    [() => 'proxy.test:443'],
  ])('%#', async (host) => {
    const headers = { ...(await bearer('full')), host: host(), origin: `http://${host()}` }
    expect((await ask({ path: '/api/tokens', headers })).status).toBe(200)
  })

  it('lets the health be asked without a token, but not under a foreign name', async () => {
    const open = await ask({ path: '/health' })
    expect(JSON.parse(open.text)).toEqual({ ok: true, version: '1.2.3' })
    expect((await ask({ path: '/health', headers: { host: 'evil.test' } })).status).toBe(421)
    expect((await ask({ path: '/health', headers: { origin: 'http://evil.test' } })).status).toBe(403)
  })
})

describe('scopes', () => {
  it.each([
    ['ingest', 'POST', '/events', 200],
    ['ingest', 'POST', '/hooks/claude-code', 404],
    ['ingest', 'POST', '/v1/traces', 404],
    ['ingest', 'GET', '/events', 403],
    ['ingest', 'GET', '/api/events', 403],
    ['ingest', 'GET', '/metrics', 403],
    ['ingest', 'POST', '/api/stop', 403],
    ['ingest', 'POST', '/api/tokens/full/reveal', 403],
    ['ingest', 'POST', '/v1/chat/completions', 403],
    ['ingest', 'GET', '/nothing', 403],
    ['gateway', 'GET', '/v1/models', 404],
    ['gateway', 'POST', '/v1/chat/completions', 404],
    ['gateway', 'POST', '/events', 403],
    ['gateway', 'GET', '/api/status', 403],
    ['full', 'GET', '/api/nothing', 404],
    ['full', 'POST', '/events', 200],
  ] as const)('the %s token at %s %s gets %d', async (scope, method, path, status) => {
    expect((await ask({ method, path, headers: await bearer(scope) })).status).toBe(status)
  })

  it('do not open the stream to a token that may only send', async () => {
    expect((await ask({ path: '/stream', upgrade: true, headers: await bearer('ingest') })).status).toBe(403)
    expect((await ask({ path: '/stream', upgrade: true, headers: await bearer('full') })).status).toBe(101)
  })

  it('are not fooled by another spelling of a path', async () => {
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
  it('names what a path takes', async () => {
    const answer = await ask({ path: '/events', method: 'DELETE', headers: await bearer('full') })
    expect(answer.status).toBe(405)
    expect(answer.headers.allow).toBe('POST')
    expect(
      (await ask({ path: '/api/health', method: 'PUT', headers: await bearer('full') })).headers.allow,
    ).toBe('GET, POST, HEAD')
  })

  it('answers an unknown path with a problem that names the request', async () => {
    const answer = await ask({ path: '/api/nothing', headers: await bearer('full') })
    expect(answer.headers['content-type']).toBe('application/problem+json')
    expect(JSON.parse(answer.text)).toMatchObject({
      status: 404,
      code: 'not_found',
      next: expect.stringContaining('openapi'),
      request_id: answer.headers['x-request-id'],
    })
  })

  it('takes the offer of HTTP/2 for the ordinary request it is', async () => {
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

  it('asks for an upgrade where the stream is spoken to as a page', async () => {
    expect((await ask({ path: '/stream', headers: await bearer('full') })).status).toBe(426)
  })
})

describe('a handshake that is none', () => {
  it('is refused like everything else', async () => {
    const headers = { ...(await bearer('full')), 'sec-websocket-key': 'short' }
    const answer = await ask({ path: '/stream', upgrade: true, headers })
    expect(answer.status).toBe(400)
    expect(answer.headers['content-type']).toBe('application/problem+json')
  })
})

describe('the one-time link', () => {
  const cookieOf = (answer: Answer) => String(answer.headers['set-cookie']).split(';')[0] ?? ''

  it('signs a browser in once, and takes the code out of the address', async () => {
    const path = kit.server.link().slice(kit.address.length)
    const first = await ask({ path })
    expect(first.status).toBe(303)
    expect(first.headers.location).toBe('/')
    expect(String(first.headers['set-cookie'])).toMatch(
      new RegExp(`^panoptes_${kit.server.port}=[\\w-]{43}; HttpOnly; SameSite=Strict; Path=/; Max-Age=\\d+$`),
    )
    const cookie = cookieOf(first)
    expect((await ask({ path: '/api/tokens', headers: { cookie } })).status).toBe(200)
    expect(
      (await ask({ path: '/stream', upgrade: true, headers: { cookie, origin: kit.address } })).status,
    ).toBe(101)
    expect((await ask({ path })).status).toBe(401)
    expect((await ask({ path, headers: { cookie } })).status).toBe(303)
  })

  it('is made by the command with the full token', async () => {
    const made = (await (await kit.request('/api/link', { method: 'POST' })).json()) as { link: string }
    expect((await ask({ path: made.link.slice(kit.address.length) })).status).toBe(303)
  })

  it('does nothing for a foreign host or a code that was never made', async () => {
    const path = kit.server.link().slice(kit.address.length)
    expect((await ask({ path, headers: { host: 'evil.test' } })).status).toBe(421)
    expect((await ask({ path })).status).toBe(303)
    expect((await ask({ path: '/?link=guess' })).status).toBe(401)
  })

  it('shows a browser that is not signed in what to do, within the strict policy', async () => {
    const answer = await ask({ path: '/settings', headers: { accept: 'text/html,*/*' } })
    expect(answer.status).toBe(401)
    expect(answer.headers['content-type']).toContain('text/html')
    expect(answer.text).toContain('<code>panoptes up</code>')
    expect(answer.headers['content-security-policy']).toMatch(/style-src 'self' 'sha256-[\w+/=]+'/)
    expect(answer.text).not.toMatch(/<script|style="/)
  })

  it.each(['x', '', 'panoptes'])('is not replaced by the made-up cookie %j', async (value) => {
    const headers = { cookie: `other=1; panoptes_${kit.server.port}=${value}` }
    expect((await ask({ path: '/api/tokens', headers })).status).toBe(401)
  })
})

describe('tokens', () => {
  it('are masked, shown on demand, and never written to the log', async () => {
    const listed = await (await kit.request('/api/tokens')).text()
    for (const scope of ['full', 'ingest', 'gateway'] as const) {
      const token = await kit.token(scope)
      expect(listed).not.toContain(token)
      expect(await (await kit.request(`/api/tokens/${scope}/reveal`, { method: 'POST' })).json()).toEqual({
        scope,
        token,
      })
      expect(kit.logged()).not.toContain(token)
    }
    expect(kit.logged()).not.toContain('link=')
    expect((await kit.request('/api/tokens/root/reveal', { method: 'POST' })).status).toBe(400)
  })

  it('stop working as soon as they are rotated, cookies and streams too', async () => {
    const rotating = await startTestServer()
    const link = await fetch(rotating.server.link(), { redirect: 'manual' })
    const cookie = link.headers.get('set-cookie')?.split(';')[0] ?? ''
    const old = await rotating.token('full')
    const reader = await rotating.stream()
    const answer = await rotating.request('/api/tokens/full/rotate', {
      method: 'POST',
      headers: { cookie, authorization: `Bearer ${old}` },
    })
    expect(await answer.json()).toEqual({ scope: 'full', token: await rotating.token('full') })
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${rotating.address}/api/tokens`, { headers })).status
    expect(await status({ authorization: `Bearer ${old}` })).toBe(401)
    expect(await status({ cookie })).toBe(401)
    expect(await status({ authorization: `Bearer ${await rotating.token('full')}` })).toBe(200)
    expect((await reader.closed).code).toBe(1008)
    await rotating.stop()
  })

  it('leave the browser that rotated them signed in', async () => {
    const rotating = await startTestServer()
    const link = await fetch(rotating.server.link(), { redirect: 'manual' })
    const cookie = link.headers.get('set-cookie')?.split(';')[0] ?? ''
    const answer = await fetch(`${rotating.address}/api/tokens/full/rotate`, {
      method: 'POST',
      headers: { cookie },
    })
    const renewed = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect((await fetch(`${rotating.address}/api/tokens`, { headers: { cookie: renewed } })).status).toBe(200)
    await rotating.stop()
  })

  it('remember when they were used', async () => {
    await kit.request('/events', {
      method: 'POST',
      body: JSON.stringify(session('used')),
      headers: await bearer('ingest'),
    })
    const { tokens } = (await (await kit.request('/api/tokens')).json()) as {
      tokens: { scope: string; last_used: number | null }[]
    }
    const ingest = tokens.find((token) => token.scope === 'ingest')
    expect(Date.now() - (ingest?.last_used ?? 0)).toBeLessThan(10_000)
  })
})

describe('what is hardly a request', () => {
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
  ])('with %s is refused like everything else', async (_name, text, status) => {
    const answer = await say(text)
    expect(answer).toContain(`HTTP/1.1 ${status}`)
    expect(answer.toLowerCase()).toContain('content-type: application/problem+json')
    expect(answer.toLowerCase()).toContain('x-request-id: ')
    expect(answer.toLowerCase()).toContain("default-src 'self'")
  })
})
