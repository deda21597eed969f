import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addSession, type Served, serveAchievements } from './achievements.test-kit.ts'
import { askRaw } from './server.test-kit.ts'

const TAB = 'http://127.0.0.1:9119'
const OWN = '/api/achievements?source=hermes&wait=0'

let served: Served
beforeAll(async () => {
  served = await serveAchievements({ achievements: { allowed_origins: [TAB] } })
  addSession(join(served.home, '.hermes', 'state.db'), 's1', 'some-model', 3)
})
afterAll(() => served.stop())

/** Sends a request like a page on another port. */
const ask = async (path: string, origin: string, { token = true, method = 'GET' } = {}) =>
  askRaw(served.kit.server.port, {
    path,
    method,
    headers: {
      origin,
      'sec-fetch-site': 'same-site',
      'sec-fetch-mode': 'cors',
      ...(token ? { authorization: `Bearer ${await served.kit.token('full')}` } : {}),
    },
  })

describe('a page of an allowed origin', () => {
  it('may read achievements of Hermes sessions', async () => {
    const answer = await ask(OWN, TAB)
    expect(answer.status).toBe(200)
    expect(JSON.parse(answer.text)).toMatchObject({ total_count: 60, view: 'hermes' })
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': TAB,
      'access-control-allow-credentials': 'true',
      vary: 'Origin',
    })
  })

  it('learns when nobody is signed in', async () => {
    const answer = await ask(OWN, TAB, { token: false })
    expect(answer.status).toBe(401)
    expect(answer.headers['access-control-allow-origin']).toBe(TAB)
  })

  it.each([
    ['/api/achievements'],
    ['/api/achievements?source=all'],
    ['/api/achievements?source=hermes&hermes_db=/etc/passwd'],
    ['/api/achievements?source=hermes&source=all&aggregate=1'],
    ['/api/status'],
    ['/api/past/sessions'],
    ['/'],
  ])('may not read %s', async (path) => {
    const answer = await ask(path, TAB)
    expect(answer.status).toBe(403)
    expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  })

  it.each(['POST', 'OPTIONS', 'DELETE'])('may not send %s', async (method) => {
    expect((await ask(OWN, TAB, { method })).status).toBe(403)
    expect((await ask('/api/rescan', TAB, { method })).status).toBe(403)
  })
})

it.each([
  'http://127.0.0.1:9120',
  'http://localhost:9119',
  'https://127.0.0.1:9119',
  'null',
  `${TAB}.evil.test`,
])('refuses a page of %s', async (origin) => {
  const answer = await ask(OWN, origin)
  expect(answer.status).toBe(403)
  expect(answer.headers['access-control-allow-origin']).toBeUndefined()
})

it('sends no CORS headers to its own page', async () => {
  const answer = await askRaw(served.kit.server.port, {
    path: OWN,
    headers: { authorization: `Bearer ${await served.kit.token('full')}` },
  })
  expect(answer.status).toBe(200)
  expect(answer.headers['access-control-allow-origin']).toBeUndefined()
})
