import type { MeReply } from '@panoptes/schema'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { startTestHub, type TestHub } from './hub.test-kit.ts'
import { type Answer, askRaw, freePort, openStream, session, unwrap } from './server.test-kit.ts'

let kit: TestHub
const more: TestHub[] = []
beforeAll(async () => {
  kit = await startTestHub()
})
afterEach(async () => {
  for (const each of more.splice(0)) await each.stop()
})
afterAll(() => kit.stop())

const post = (secret: string, ...events: unknown[]) =>
  kit.request('/events', secret, {
    method: 'POST',
    body: events.map((event) => JSON.stringify(event)).join('\n'),
  })
const sessionsOf = async (secret: string) =>
  JSON.stringify(await (await kit.request('/api/events', secret)).json())

describe('a hub', () => {
  it('routes every request to the space of its token', async () => {
    const [here, there] = [await kit.token({ space: 'main' }), await kit.token({ space: 'other' })]
    expect((await post(here, session('of-main'))).status).toBe(200)
    expect((await post(there, session('of-other'))).status).toBe(200)
    expect(await sessionsOf(here)).toContain('of-main')
    expect(await sessionsOf(here)).not.toContain('of-other')
    expect(await sessionsOf(there)).not.toContain('of-main')
  })

  it('streams to each client only the events of its space', async () => {
    const [here, there] = [await kit.token({ space: 'main' }), await kit.token({ space: 'other' })]
    const [one, other] = [await kit.stream(here), await kit.stream(there)]
    await post(here, session('heard-in-main'))
    await post(there, session('heard-in-other'))
    await one.until((frames) => JSON.stringify(frames).includes('heard-in-main'))
    await other.until((frames) => JSON.stringify(frames).includes('heard-in-other'))
    expect(JSON.stringify(one.frames)).not.toContain('heard-in-other')
    expect(JSON.stringify(other.frames)).not.toContain('heard-in-main')
    for (const { ws } of [one, other]) ws.terminate()
  })

  it('answers 503 while a space is not open yet', async () => {
    unwrap(await kit.team.createSpace('later'))
    const answer = await kit.request('/api/status', await kit.token({ space: 'later' }))
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '2'])
  })

  it('is healthy before it is ready, and ready once its own space is open', async () => {
    const early = await startTestHub({ spaces: [] })
    more.push(early)
    const status = async (path: string) => (await fetch(`${early.address}${path}`)).status
    expect([await status('/health'), await status('/ready')]).toEqual([200, 503])
    expect((await fetch(`${kit.address}/ready`)).status).toBe(200)
  })

  it('holds requests that arrive while it opens its own space', async () => {
    const port = await freePort()
    const asked: Promise<Answer>[] = []
    const slow = await startTestHub({
      spaces: ['main'],
      options: { port },
      site: async () => {
        for (const upgrade of [false, true])
          asked.push(askRaw(port, { path: upgrade ? '/stream' : '/api/status', upgrade }))
        await askRaw(port, { path: '/health' })
        return {}
      },
    })
    more.push(slow)
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual([401, 401])
  })

  it('refuses a token for another space like a wrong one', async () => {
    const secret = await kit.token({ space: 'other' })
    const named = async (space: string) =>
      (await kit.request('/api/status', secret, { headers: { 'panoptes-space': space } })).status
    expect([await named('other'), await named('main')]).toEqual([200, 401])
    // A browser cannot set headers for a link or a stream.
    const linked = async (space: string) =>
      (await kit.request(`/api/export?panoptes-space=${space}`, secret)).status
    expect([await linked('other'), await linked('main')]).toEqual([200, 401])
    const streamed = (space: string) =>
      openStream(`${kit.address.replace('http', 'ws')}/stream?panoptes-space=${space}`, ['bearer', secret])
    const stream = await streamed('other')
    stream.ws.terminate()
    await expect(streamed('main')).rejects.toThrow(/401/)
  })
})

describe('a token with the scope metrics', () => {
  it('reads the metrics of its space, also as a viewer, and nothing else', async () => {
    const secret = await kit.token({ space: 'main', scope: 'metrics', role: 'viewer' })
    const figures = await kit.request('/metrics', secret)
    expect([figures.status, await figures.text()]).toEqual([200, expect.stringContaining('panoptes_events')])
    for (const path of ['/', '/api/status', '/api/events', '/api/openapi.json', '/api/me', '/v1/models'])
      expect([path, (await kit.request(path, secret)).status]).toEqual([path, 403])
    const refused = await kit.request('/api/status', secret)
    expect(await refused.json()).toMatchObject({
      code: 'wrong_scope',
      detail: 'The metrics token is only for reading /metrics.',
    })
    const sent = await kit.request('/events', secret, { method: 'POST', body: '[]' })
    expect(sent.status).toBe(403)
    await expect(kit.stream(secret)).rejects.toThrow(/403/)
    const ingest = await kit.token({ space: 'main', scope: 'ingest' })
    expect((await kit.request('/metrics', ingest)).status).toBe(403)
  })
})

describe('a token that ends', () => {
  it('is refused at once where it was revoked, with its streams, and within a second elsewhere', async () => {
    const far = await kit.another()
    more.push(far)
    const admin = await kit.token({ space: 'main', role: 'admin' })
    const made = await kit.request('/api/team/tokens', admin, {
      method: 'POST',
      body: JSON.stringify({ label: 'short', scope: 'full', role: 'viewer' }),
    })
    const { token, about } = (await made.json()) as { token: string; about: { id: string } }
    expect((await kit.request('/api/status', token)).status).toBe(200)
    expect((await far.request('/api/status', token)).status).toBe(200)
    const [near, away] = [await kit.stream(token), await far.stream(token)]
    const revoked = await kit.request(`/api/team/tokens/${about.id}/revoke`, admin, { method: 'POST' })
    expect(revoked.status).toBe(200)
    const at = Date.now()
    expect((await kit.request('/api/status', token)).status).toBe(401)
    expect((await near.closed).code).toBe(1008)
    await expect.poll(async () => (await far.request('/api/status', token)).status).toBe(401)
    expect(Date.now() - at).toBeLessThan(10_000)
    expect((await away.closed).code).toBe(1008)
  })

  it('is refused after its expiry, with its streams', async () => {
    const token = await kit.token({ space: 'main', expiresAt: Date.now() + 4_000 })
    const reader = await kit.stream(token)
    expect((await reader.closed).code).toBe(1008)
    await expect.poll(async () => (await kit.request('/api/status', token)).status).toBe(401)
  })
})

describe("the token files of a hub's home", () => {
  const ask = (headers: Record<string, string>, path = '/api/me') => askRaw(kit.port, { path, headers })

  it("act as an admin of its space, only on the hub's computer", async () => {
    const authorization = `Bearer ${await kit.ownToken('full')}`
    const own = await ask({ authorization })
    expect(JSON.parse(own.text)).toMatchObject({ team: true, role: 'admin', space: 'main', user: null })
    expect((await ask({ authorization, 'x-forwarded-for': '203.0.113.9' })).status).toBe(401)
    expect((await ask({ authorization, 'x-forwarded-for': '127.0.0.1, 203.0.113.9' })).status).toBe(401)
    expect((await ask({ authorization, 'x-forwarded-for': '203.0.113.9, 127.0.0.1' })).status).toBe(200)
    expect((await ask({ authorization, forwarded: 'for=203.0.113.9' })).status).toBe(401)
  })

  it('sign in a browser by link, also one whose team sign-in has expired', async () => {
    const link = (await (
      await kit.request('/api/link', await kit.ownToken('full'), { method: 'POST' })
    ).json()) as {
      link: string
    }
    const answer = await fetch(link.link, { redirect: 'manual' })
    const own = answer.headers.get('set-cookie')?.split(';')[0] ?? ''
    const me = async (cookie: string) => JSON.parse((await ask({ cookie })).text) as MeReply
    expect(await me(own)).toMatchObject({ label: 'this computer', role: 'admin', home: true, user: null })
    expect(await me(`${own}; panoptes_hub=ses_over`)).toMatchObject({ label: 'this computer' })
    const viewer = await kit.token({ space: 'main', role: 'viewer', label: 'a viewer' })
    expect(await me(`${own}; panoptes_hub=${viewer}`)).toMatchObject({ label: 'a viewer', role: 'viewer' })
    expect((await ask({ cookie: own, 'x-forwarded-for': '203.0.113.9' })).status).toBe(401)
  })

  it('can be shown, rotated and turned into links only by themselves', async () => {
    const admin = await kit.token({ space: 'main', role: 'admin' })
    const own = await kit.ownToken('full')
    for (const [method, path] of [
      ['GET', '/api/tokens'],
      ['POST', '/api/tokens/full/reveal'],
      ['POST', '/api/link'],
      ['POST', '/api/stop'],
      ['POST', '/api/backup'],
    ] as const) {
      const refused = await kit.request(path, admin, { method })
      expect([path, refused.status]).toEqual([path, 403])
      expect(await refused.text()).not.toContain(own)
    }
    expect((await kit.request('/api/tokens', own)).status).toBe(200)
  })
})

describe('a role', () => {
  it.each([
    ['viewer', 'GET', '/api/status', 200],
    ['viewer', 'POST', '/events', 403],
    ['viewer', 'GET', '/api/team/users', 403],
    ['member', 'POST', '/events', 200],
    ['member', 'POST', '/api/rebuild', 403],
    ['member', 'GET', '/api/team/audit', 403],
    ['admin', 'GET', '/api/team/audit', 200],
  ] as const)('of %s at %s %s gets %d', async (role, method, path, status) => {
    const answer = await kit.request(path, await kit.token({ space: 'main', role }), { method })
    expect([answer.status, await answer.text()]).toEqual([status, expect.any(String)])
  })

  it('names the required role in a refusal', async () => {
    const viewer = await kit.token({ space: 'main', role: 'viewer' })
    const refused = (await (await kit.request('/events', viewer, { method: 'POST' })).json()) as object
    expect(refused).toMatchObject({
      status: 403,
      code: 'wrong_role',
      detail: 'This needs the role member in the space main. Your role there is viewer.',
      next: 'Ask an admin of the space main for the role member.',
    })
  })
})

describe('a person', () => {
  it('switches spaces in one browser, with their role in each', async () => {
    const user = unwrap(await kit.team.createUser({ email: 'ada@example.test', name: 'Ada' }))
    unwrap(await kit.team.setRole(user.id, 'main', 'viewer'))
    unwrap(await kit.team.setRole(user.id, 'other', 'admin'))
    const cookie = `panoptes_hub=${unwrap(await kit.team.signIn(user.id, 'main', Date.now() + 60_000))}`
    const ask = (path: string, init: RequestInit = {}) =>
      fetch(`${kit.address}${path}`, { ...init, headers: { cookie } })
    const me = async () => (await (await ask('/api/me')).json()) as MeReply
    expect(await me()).toEqual({
      team: true,
      user: { id: user.id, email: 'ada@example.test', name: 'Ada' },
      label: 'ada@example.test',
      role: 'viewer',
      home: false,
      space: 'main',
      spaces: expect.arrayContaining([
        { name: 'main', role: 'viewer' },
        { name: 'other', role: 'admin' },
      ]),
    })
    const go = (space: string) => ask('/api/me/space', { method: 'POST', body: JSON.stringify({ space }) })
    expect(await (await go('other')).json()).toMatchObject({ role: 'admin', space: 'other' })
    expect(await me()).toMatchObject({ role: 'admin', space: 'other' })
    expect((await go('later')).status).toBeGreaterThanOrEqual(400)
    expect(await me()).toMatchObject({ space: 'other' })
  })

  it('with a token cannot leave its space', async () => {
    const token = await kit.token({ space: 'main', role: 'admin' })
    const moved = await kit.request('/api/me/space', token, { method: 'POST', body: '{"space":"other"}' })
    expect(moved.status).toBe(400)
  })
})
