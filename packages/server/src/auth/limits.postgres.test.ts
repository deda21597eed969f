import type { Team } from '@panoptes/engine/store'
import { failure } from '@panoptes/schema'
import { afterEach, describe, expect, it } from 'vitest'
import { type HubSetting, startTestHub, type TestHub } from '../hub.test-kit.ts'
import { askRaw, unwrap } from '../server.test-kit.ts'

let kit: TestHub
afterEach(() => kit.stop())

const setUp = async (setting: HubSetting) => {
  kit = await startTestHub({ spaces: ['main'], ...setting })
}
/** A rate so slow that no request is added back during a test. */
const few = (burst: number) => ({ config: { team: { rate_per_second: 0.001, rate_burst: burst } } })
const status = async (path: string, secret: string, init?: RequestInit) =>
  (await kit.request(path, secret, init)).status
const from = (address: string, secret?: string, path = '/api/me') =>
  askRaw(kit.port, {
    path,
    headers: {
      'x-forwarded-for': address,
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
    },
  })

describe('a token over its rate limit', () => {
  it('gets 429 with a waiting time for every request, while other tokens do not', async () => {
    await setUp(few(3))
    const [greedy, other] = [await kit.token({ space: 'main' }), await kit.token({ space: 'main' })]
    expect(await status('/api/me', greedy)).toBe(200)
    expect(await status('/events', greedy, { method: 'POST' })).toBe(200)
    expect(await status('/nothing', greedy)).toBe(404)
    const refused = await kit.request('/api/me', greedy)
    expect([refused.status, refused.headers.get('content-type')]).toEqual([429, 'application/problem+json'])
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(500)
    expect(await refused.json()).toMatchObject({
      status: 429,
      code: 'too_many',
      next: expect.stringContaining('again in'),
    })
    expect(await status('/events', greedy, { method: 'POST' })).toBe(429)
    await expect(kit.stream(greedy)).rejects.toThrow('answered 429')
    expect(await status('/api/me', other)).toBe(200)
    const own = await kit.ownToken('full')
    for (let each = 0; each < 10; each += 1) expect(await status('/api/me', own)).toBe(200)
    expect(await (await kit.request('/metrics', own)).text()).toMatch(
      /^panoptes_requests_limited_total\S* 3$/m,
    )
  })

  it('appears once in the audit log', async () => {
    await setUp(few(1))
    const greedy = await kit.token({ space: 'main', label: 'greedy' })
    for (let each = 0; each < 5; each += 1) await kit.request('/api/me', greedy)
    await expect
      .poll(async () => unwrap(await kit.team.audit({ actor: 'greedy', limit: 10 })).entries)
      .toMatchObject([{ outcome: 'refused', target: 'too_many' }])
  })

  it('gets an error in the format of OpenAI at the gateway', async () => {
    await setUp(few(1))
    const gateway = await kit.token({ space: 'main', scope: 'gateway' })
    await kit.request('/v1/models', gateway)
    const refused = await kit.request('/v1/models', gateway)
    expect([refused.status, await refused.json()]).toMatchObject([
      429,
      { error: { type: 'rate_limit_error' } },
    ])
  })
})

describe('an address without valid credentials', () => {
  const strangers = { perSecond: 0.001, burst: 3 }

  it('is limited alone, without callers at the same address who are known', async () => {
    await setUp({ limits: { strangers } })
    const good = await kit.token({ space: 'main' })
    expect((await from('203.0.113.7', good)).status).toBe(200)
    const guesses = []
    for (let each = 0; each < 5; each += 1) guesses.push((await from('203.0.113.7', `pan_${each}`)).status)
    expect(guesses).toEqual([401, 401, 401, 429, 429])
    expect((await from('203.0.113.7')).status).toBe(429)
    expect((await from('203.0.113.7', good)).status).toBe(200)
    expect((await from('203.0.113.8')).status).toBe(401)
    expect((await from('203.0.113.7', undefined, '/health')).status).toBe(200)
    expect((await from('203.0.113.7', undefined, '/ready')).status).toBe(200)
  })

  it('causes no more database lookups once it is limited', async () => {
    let asked = 0
    await setUp({
      limits: { strangers },
      wrapTeam: (team): Team =>
        withMethods(team, {
          identify: (secret) => {
            asked += 1
            return team.identify(secret)
          },
        }),
    })
    for (let each = 0; each < 50; each += 1) await from('203.0.113.9', `pan_${each}`)
    expect(asked).toBe(3)
  })
})

describe('a database that does not answer', () => {
  it('refuses requests only for the moment', async () => {
    await setUp({
      wrapTeam: (team) =>
        withMethods(team, { identify: async () => failure('busy', 'The database is away.') }),
    })
    const answer = await kit.request('/events', 'pan_any', { method: 'POST' })
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await status('/api/me', await kit.ownToken('full'))).toBe(200)
  })
})

describe('a browser during a database outage', () => {
  const SECRET_PLACE = '10.1.2.3:5432/inner'
  const away = async () => failure('busy', `The database at ${SECRET_PLACE} does not answer.`)
  const navigate = (path: string, init: RequestInit = {}) =>
    fetch(`${kit.address}${path}`, {
      ...init,
      headers: { accept: 'text/html', ...init.headers },
    })

  it('gets a page that retries by itself and does not reveal where the database is', async () => {
    await setUp({ wrapTeam: (team) => withMethods(team, { identify: away, ping: away }) })
    const form = new URLSearchParams({ token: 'pan_any' })
    const posted = await navigate('/auth/token', { method: 'POST', body: form })
    expect([posted.status, posted.headers.get('content-type')]).toEqual([503, 'text/html; charset=utf-8'])
    const text = await posted.text()
    expect(text).toContain('content="3;url=/"')
    expect(text).toContain('does not answer')
    const reloaded = await kit.request('/sessions', 'pan_any', { headers: { accept: 'text/html' } })
    const page = await reloaded.text()
    expect([reloaded.status, page]).toEqual([
      503,
      expect.stringContaining('http-equiv="refresh" content="3"'),
    ])
    const ready = await fetch(`${kit.address}/ready`)
    expect(ready.status).toBe(503)
    const json = await kit.request('/api/status', 'pan_any')
    expect(json.headers.get('content-type')).toBe('application/problem+json')
    const said = [text, page, await ready.text(), await json.text()]
    expect(JSON.parse(said[3] ?? '')).toMatchObject({ code: 'database_away' })
    for (const each of said) expect(each).not.toContain(SECRET_PLACE)
  })
})

describe('the caller of a request', () => {
  it('is looked up at most once a second, however many requests arrive', async () => {
    let asked = 0
    await setUp({
      wrapTeam: (team) =>
        withMethods(team, {
          identify: (secret) => {
            asked += 1
            return team.identify(secret)
          },
        }),
    })
    const token = await kit.token({ space: 'main' })
    const begun = performance.now()
    for (let round = 0; round < 10; round += 1)
      await Promise.all(Array.from({ length: 20 }, () => kit.request('/api/me', token)))
    expect(asked).toBeLessThanOrEqual(1 + Math.ceil((performance.now() - begun) / 1_000))
  })
})

/** The same team, with some of its methods replaced. */
const withMethods = (team: Team, methods: Partial<Team>): Team =>
  new Proxy(team, {
    get: (target, name) => Reflect.get(Object.hasOwn(methods, name) ? methods : target, name) as unknown,
  })
