import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  type Answer,
  type Asked,
  asAnother,
  askRaw,
  session,
  startTestServer,
  type TestServer,
} from './server.test-kit.ts'

let kit: TestServer
beforeAll(async () => {
  kit = await startTestServer({
    options: {
      command: 'npx panoptes',
      rewriteCommands: (text) => text.replace('panoptes up', 'npx panoptes up'),
    },
  })
})
afterAll(() => kit.stop())

const ask = (asked: Asked) => askRaw(kit.server.port, asked)
const bearer = async (scope: 'full' | 'ingest' | 'gateway') => ({
  authorization: `Bearer ${await kit.token(scope)}`,
})

describe('the one-time link', () => {
  const cookieOf = (answer: Answer) => String(answer.headers['set-cookie']).split(';')[0] ?? ''

  it('signs a browser in once, and removes the code from the address bar', async () => {
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

  it('is made by a request with the full token', async () => {
    const made = (await (await kit.request('/api/link', { method: 'POST' })).json()) as { link: string }
    expect((await ask({ path: made.link.slice(kit.address.length) })).status).toBe(303)
  })

  it('does nothing for a foreign host or an invented code', async () => {
    const path = kit.server.link().slice(kit.address.length)
    expect((await ask({ path, headers: { host: 'evil.test' } })).status).toBe(421)
    expect((await ask({ path })).status).toBe(303)
    expect((await ask({ path: '/?link=guess' })).status).toBe(401)
  })

  it('is refused when another user of this computer opens it, and still works for its own', async ({
    skip,
  }) => {
    skip(process.getuid?.() !== 0, 'Only root may connect as another user.')
    // Root itself reads every file, so the server takes itself for an ordinary user.
    const user = vi.spyOn(process, 'getuid').mockReturnValue(64_123)
    onTestFinished(() => user.mockRestore())
    const path = kit.server.link().slice(kit.address.length)
    const refused = await asAnother(64_124, () => ask({ path }))
    expect([refused.status, refused.headers['set-cookie']]).toEqual([403, undefined])
    expect(refused.text).toContain('Another user of this computer opened this link.')
    user.mockRestore()
    expect((await ask({ path })).status).toBe(303)
  })

  it('leads to a page that explains how to sign in, within the strict content security policy', async () => {
    const answer = await ask({ path: '/settings', headers: { accept: 'text/html,*/*' } })
    expect(answer.status).toBe(401)
    expect(answer.headers['content-type']).toContain('text/html')
    expect(answer.text).toContain('<code>npx panoptes up</code>')
    expect(answer.headers['content-security-policy']).toMatch(/style-src 'self' 'sha256-[\w+/=]+'/)
    expect(answer.text).not.toMatch(/<script|style="/)
  })

  it('is explained to other programs too, with the command as it is typed here', async () => {
    const { next } = JSON.parse((await ask({ path: '/api/tokens' })).text) as { next: string }
    expect(next).toContain('"npx panoptes up"')
  })

  it.each(['x', '', 'panoptes'])('cannot be replaced by the invented cookie %j', async (value) => {
    const headers = { cookie: `other=1; panoptes_${kit.server.port}=${value}` }
    expect((await ask({ path: '/api/tokens', headers })).status).toBe(401)
  })
})

describe('tokens', () => {
  it('are masked, shown on request, and never written to the log', async () => {
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

  it('stop working as soon as they are rotated, including cookies and streams', async () => {
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

  it('record when they were last used', async () => {
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
