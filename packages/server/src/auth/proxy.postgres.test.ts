import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestHub, type TestHub } from '../hub.test-kit.ts'
import { askRaw, unwrap } from '../server.test-kit.ts'

let kit: TestHub
let token: string
beforeAll(async () => {
  kit = await startTestHub({ spaces: ['main'], config: { team: { public_url: 'https://panoptes.example' } } })
  token = await kit.token({ space: 'main', role: 'admin', label: 'far away' })
})
afterAll(() => kit.stop())

/** Headers of a TLS proxy on this computer. */
const through = (
  path: string,
  headers: Record<string, string> = {},
  more: { method?: string; body?: string } = {},
) =>
  askRaw(kit.port, {
    path,
    headers: {
      host: 'panoptes.example',
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': 'https',
      ...headers,
    },
    ...more,
  })
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

describe('a hub behind a TLS proxy', () => {
  it('answers to its public name only', async () => {
    expect((await through('/api/me', bearer(token))).status).toBe(200)
    for (const host of ['panoptes.example:8201', 'evil.example', 'panoptes.example.evil.example'])
      expect((await through('/api/me', { ...bearer(token), host })).status).toBe(421)
  })

  it.each([
    ['https://panoptes.example', 200],
    ['http://panoptes.example', 403],
    ['https://panoptes.example:444', 403],
    ['https://evil.panoptes.example', 403],
    ['null', 403],
  ])('answers pages of %s with %d', async (origin, status) => {
    expect((await through('/api/me', { ...bearer(token), origin })).status).toBe(status)
    const posted = await through('/events', { ...bearer(token), origin }, { method: 'POST' })
    expect(posted.status).toBe(status)
  })

  it('accepts WebSockets only from its own page', async () => {
    const open = async (origin: string) =>
      (
        await askRaw(kit.port, {
          path: '/stream',
          upgrade: true,
          headers: { host: 'panoptes.example', 'x-forwarded-for': '203.0.113.9', ...bearer(token), origin },
        })
      ).status
    expect([await open('https://panoptes.example'), await open('https://evil.example')]).toEqual([101, 403])
  })

  it('sets cookies that are sent over TLS only and that no other host can set', async () => {
    const body = new URLSearchParams({ token }).toString()
    const answer = await through(
      '/auth/token',
      { origin: 'https://panoptes.example' },
      { method: 'POST', body },
    )
    expect(answer.status).toBe(303)
    const [line = ''] = answer.headers['set-cookie'] as string[]
    expect(line).toMatch(
      /^__Host-panoptes_hub=pan_\S+; HttpOnly; SameSite=Strict; Path=\/; Max-Age=\d+; Secure$/,
    )
    const cookie = line.split(';')[0] ?? ''
    expect((await through('/api/me', { cookie })).status).toBe(200)
    expect((await through('/api/me', { cookie: cookie.replace('__Host-', '') })).status).toBe(401)
  })

  it('does not take proxied requests for local ones', async () => {
    const own = bearer(await kit.ownToken('full'))
    expect((await through('/api/me', own)).status).toBe(401)
    expect((await through('/api/me', { ...own, 'x-forwarded-for': '127.0.0.1' })).status).toBe(401)
    expect((await askRaw(kit.port, { path: '/api/me', headers: own })).status).toBe(200)
  })

  it('records the client address that the proxy saw', async () => {
    const forged = { ...bearer(token), 'x-forwarded-for': '192.0.2.1, 203.0.113.77' }
    await through('/api/team/tokens', forged, { method: 'POST', body: '{"label":"x"}' })
    await expect
      .poll(async () => unwrap(await kit.team.audit({ action: 'tokens.create', limit: 1 })).entries)
      .toMatchObject([{ actor: 'far away', address: '203.0.113.77' }])
  })
})
