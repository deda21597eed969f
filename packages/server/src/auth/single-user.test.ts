import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestServer, type TestServer } from '../server.test-kit.ts'

let kit: TestServer
beforeAll(async () => {
  kit = await startTestServer()
})
afterAll(() => kit.stop())

describe('a server without a team', () => {
  it('reports only its own user', async () => {
    expect(await (await kit.request('/api/me')).json()).toEqual({
      team: false,
      user: null,
      label: 'this computer',
      role: 'admin',
      home: true,
      space: 'main',
      spaces: [{ name: 'main', role: 'admin' }],
    })
  })

  it.each([
    ['GET', '/api/team/users'],
    ['POST', '/api/team/tokens'],
    ['GET', '/api/team/audit'],
    ['POST', '/api/me/space'],
    ['GET', '/auth/sign-in'],
    ['POST', '/auth/token'],
  ])('answers %s %s with 404 and says that there is no team', async (method, path) => {
    const answer = await kit.request(path, { method })
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ title: 'No team', next: expect.stringContaining('--store') })
  })

  it('is ready while its store answers', async () => {
    const answer = await fetch(`${kit.address}/ready`)
    expect([answer.status, await answer.json()]).toEqual([200, { ready: true, takes_events: true, away: [] }])
  })
})
