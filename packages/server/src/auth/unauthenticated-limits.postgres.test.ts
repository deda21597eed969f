import { connect, type Socket } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestHub, type TestHub } from '../hub.test-kit.ts'
import { askRaw, session, unwrap } from '../server.test-kit.ts'

let kit: TestHub
/** Secrets that were looked up in the team. */
const asked: string[] = []
beforeAll(async () => {
  kit = await startTestHub({
    wrapTeam: (team) => ({
      ...team,
      identify: (secret) => {
        asked.push(secret)
        return team.identify(secret)
      },
    }),
  })
})
afterAll(() => kit.stop())

describe('the one-time link of a hub', () => {
  it.each(['viewer', 'member', 'admin'] as const)(
    'gives a %s nothing of the home if it is made up',
    async (role) => {
      for (const space of ['main', 'other']) {
        const answer = await kit.request('/?link=made-up', await kit.token({ space, role }))
        expect([answer.status, answer.headers.get('location'), answer.headers.get('set-cookie')]).toEqual([
          303,
          '/',
          null,
        ])
      }
    },
  )

  it('still signs in the user of the home', async () => {
    const answer = await kit.request('/?link=used', await kit.ownToken('full'))
    expect([answer.status, answer.headers.get('set-cookie')]).toEqual([
      303,
      expect.stringContaining('panoptes_'),
    ])
  })
})

describe('request bodies that never arrive', () => {
  const open: Socket[] = []
  const half = (headers: readonly string[], bytes: number) => {
    const socket = connect(kit.port, '127.0.0.1').on('error', () => undefined)
    let heard = ''
    socket.on('data', (part) => {
      heard += part
    })
    const lines = [...headers, `Host: 127.0.0.1:${kit.port}`, `Content-Length: ${bytes}`]
    socket.write(`${lines.join('\r\n')}\r\n\r\n{`)
    open.push(socket)
    return () => heard
  }
  const MB = 1_048_576

  it('leave room for everybody else, whether they come from unknown clients or one token', async () => {
    const greedy = await kit.token({ space: 'other', scope: 'ingest' })
    const good = await kit.token({ space: 'main', scope: 'ingest' })
    const strange = ['POST /hooks/hermes HTTP/1.1', 'X-Hermes-Signature-256: x']
    const known = ['POST /events HTTP/1.1', `Authorization: Bearer ${greedy}`]
    const far = 'X-Forwarded-For: 203.0.113.60'
    const refused = half([...strange, far], 16 * MB)
    for (let each = 0; each < 20; each += 1) {
      half(strange, each < 2 ? 16 * MB : MB)
      half(known, each < 2 ? 16 * MB : MB)
    }
    // A request from elsewhere is refused before its body is read.
    await expect.poll(refused).toContain(' 403 ')
    const started = performance.now()
    const send = async (text: string) =>
      (await kit.request('/events', good, { method: 'POST', body: text })).status
    expect(await send(JSON.stringify(session('small')))).toBe(200)
    expect(await send(`${' '.repeat(2 * MB)}\n${JSON.stringify(session('large'))}`)).toBe(200)
    expect(performance.now() - started).toBeLessThan(8_000)
    for (const socket of open.splice(0)) socket.destroy()
  })
})

describe('the audit log', () => {
  const entries = async (about: { actor?: string; action?: string }) =>
    unwrap(await kit.team.audit({ ...about, limit: 100 })).entries

  it('has one line for a refused person, however many addresses they invent', async () => {
    const token = await kit.token({ space: 'main', scope: 'ingest', label: 'curious' })
    for (let each = 0; each < 40; each += 1) await kit.request(`/x${each}`, token)
    for (let each = 0; each < 40; each += 1) await kit.request(`/api/agents/s/x${each}`, token)
    await expect.poll(async () => (await entries({ actor: 'curious' })).length).toBeGreaterThan(1)
    await wait(600)
    expect((await entries({ actor: 'curious' })).map(({ action }) => action).sort()).toEqual([
      'GET /api/agents/:session/:id',
      'unknown',
    ])
  })

  it('has one line for a token that is mistyped again and again', async () => {
    const before = (await entries({ action: 'sign-in' })).length
    for (let each = 0; each < 20; each += 1)
      await fetch(`${kit.address}/auth/token`, { method: 'POST', body: `token=pan_wrong${each}` })
    await expect.poll(async () => (await entries({ action: 'sign-in' })).length).toBe(before + 1)
    await wait(600)
    expect((await entries({ action: 'sign-in' })).length).toBe(before + 1)
  })
})

describe('requests without a lookup', () => {
  it.each(['/health', '/ready'])('include %s, whatever credentials they show', async (path) => {
    asked.length = 0
    for (let each = 0; each < 20; each += 1)
      expect((await kit.request(path, `pan_${path}${each}`)).status).toBe(200)
    expect(asked).toEqual([])
  })

  it("include a sign-out with an invalid cookie, which leaves everybody else's lookup cached", async () => {
    const token = await kit.token({ space: 'main' })
    const began = performance.now()
    expect((await kit.request('/api/me', token)).status).toBe(200)
    asked.length = 0
    const out = await askRaw(kit.port, {
      path: '/auth/sign-out',
      method: 'POST',
      headers: { host: `127.0.0.1:${kit.port}`, cookie: 'panoptes_hub=made-up' },
    })
    expect(out.status).toBe(200)
    expect((await kit.request('/api/me', token)).status).toBe(200)
    // Every identity is looked up again once a second.
    const seconds = Math.round((performance.now() - began) / 1_000)
    expect(asked.filter((secret) => secret === token).length).toBeLessThanOrEqual(seconds)
  })
})
