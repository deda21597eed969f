import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { startTestHub, type TestHub } from '../hub.test-kit.ts'
import { session, unwrap } from '../server.test-kit.ts'

let kit: TestHub
let opened: string[]
let admin: string
let otherAdmin: string
beforeAll(async () => {
  opened = []
  kit = await startTestHub({ options: { onSpace: (name) => opened.push(name) } })
  // A space must keep an admin, so this one stays while others are removed.
  const { id } = unwrap(await kit.team.createUser({ email: 'stays@example.test' }))
  unwrap(await kit.team.setRole(id, 'main', 'admin'))
})
afterAll(() => kit.stop())
beforeEach(async () => {
  ;[admin, otherAdmin] = await Promise.all([
    kit.token({ space: 'main', role: 'admin', label: 'boss' }),
    kit.token({ space: 'other', role: 'admin' }),
  ])
})

interface User {
  readonly id: string
  readonly email: string
  readonly roles: Record<string, string>
}

const ask = async (secret: string, method: string, path: string, body?: unknown) => {
  const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
  const answer = await kit.request(path, secret, init)
  return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
}
const add = async (secret: string, email: string, role = 'member') =>
  (await ask(secret, 'POST', '/api/team/users', { email, role })).body as unknown as User
const usersSeenBy = async (secret: string) =>
  (await ask(secret, 'GET', '/api/team/users')).body.users as readonly User[]

describe('the users of a space', () => {
  it('are added, changed and removed by its admins', async () => {
    const user = await add(admin, 'eve@example.test', 'viewer')
    expect(user).toMatchObject({ email: 'eve@example.test', roles: { main: 'viewer' } })
    const path = `/api/team/users/${user.id}`
    expect((await ask(admin, 'PUT', path, { role: 'member', name: 'Eve' })).body).toMatchObject({
      name: 'Eve',
      roles: { main: 'member' },
    })
    expect((await ask(admin, 'DELETE', path)).body).toEqual({ removed: true })
    expect((await usersSeenBy(admin)).map(({ id }) => id)).not.toContain(user.id)
    expect(unwrap(await kit.team.user(user.id))?.roles).toEqual({})
    expect(await add(admin, 'eve@example.test', 'member')).toMatchObject({ id: user.id })
  })

  it('look the same when they are added, whether or not other spaces know them', async () => {
    const user = await add(admin, 'known@example.test')
    await ask(admin, 'PUT', `/api/team/users/${user.id}`, { name: 'Knut', disabled: true })
    await kit.database.ask('UPDATE panoptes_team.users SET created_at = 1, last_seen = 2 WHERE id = $1', [
      user.id,
    ])
    const [known, fresh] = [
      await add(otherAdmin, 'KNOWN@example.test'),
      await add(otherAdmin, 'fresh@example.test'),
    ]
    const same = { name: '', last_seen: null, disabled: false, roles: { other: 'member' } }
    expect(known).toMatchObject({ ...same, email: 'KNOWN@example.test' })
    expect(fresh).toMatchObject(same)
    for (const { created_at } of [known, fresh] as unknown as { created_at: number }[])
      expect(Math.abs(created_at - Date.now())).toBeLessThan(60_000)
  })

  it('have a separate role in each of their spaces', async () => {
    const user = await add(admin, 'both@example.test', 'member')
    expect(await add(otherAdmin, 'BOTH@example.test', 'admin')).toMatchObject({
      id: user.id,
      roles: { other: 'admin' },
    })
    const [here] = (await usersSeenBy(admin)).filter(({ id }) => id === user.id)
    expect(here?.roles).toEqual({ main: 'member' })
    expect((await ask(otherAdmin, 'PUT', `/api/team/users/${user.id}`, { role: 'viewer' })).status).toBe(400)
    expect((await ask(otherAdmin, 'PUT', `/api/team/users/${user.id}`, { disabled: true })).status).toBe(400)
    expect((await ask(admin, 'DELETE', `/api/team/users/${user.id}`)).status).toBe(200)
    expect(unwrap(await kit.team.user(user.id))?.roles).toEqual({ other: 'admin' })
  })

  it('reveal nothing of their other spaces to an admin, neither here nor in the audit log', async () => {
    const email = 'spread@example.test'
    const user = await add(admin, email, 'admin')
    await kit.database.ask('UPDATE panoptes_team.users SET created_at = 1 WHERE id = $1', [user.id])
    await kit.token({ space: 'main', role: 'viewer', userId: user.id, label: 'of main alone' })
    await add(otherAdmin, email, 'member')
    const cookie = `panoptes_hub=${unwrap(await kit.team.signIn(user.id, 'main', Date.now() + 60_000))}`
    const asThem = (path: string, init: RequestInit = {}) =>
      fetch(`${kit.address}${path}`, { ...init, headers: { cookie } })
    expect((await asThem('/api/me')).status).toBe(200)
    const [seen] = (await usersSeenBy(otherAdmin)).filter(({ id }) => id === user.id)
    const changed = (await ask(otherAdmin, 'PUT', `/api/team/users/${user.id}`, { role: 'viewer' })).body
    const again = (await ask(otherAdmin, 'POST', '/api/team/users', { email, role: 'viewer' })).body
    for (const told of [seen, changed, again] as unknown as (User & { created_at: number })[]) {
      expect(told).toMatchObject({ id: user.id, last_seen: null })
      expect(Object.keys(told.roles)).toEqual(['other'])
      expect(told.created_at).toBeGreaterThan(1)
    }
    const move = (space: string) =>
      asThem('/api/me/space', { method: 'POST', body: JSON.stringify({ space }) })
    expect((await move('other')).status).toBe(200)
    expect((await move('nowhere')).status).toBe(400)
    const moves = async (secret: string) =>
      JSON.stringify((await ask(secret, 'GET', `/api/team/audit?action=me.space&actor=${email}`)).body)
    await expect.poll(() => moves(otherAdmin)).toContain('"outcome":"failed"')
    expect(await moves(otherAdmin)).toContain('"outcome":"done"')
    expect(await moves(otherAdmin)).not.toMatch(/main|nowhere/)
    expect(await moves(admin)).toContain('"entries":[]')
    const tokens = (await ask(otherAdmin, 'GET', '/api/team/tokens')).body.tokens
    expect(JSON.stringify(tokens)).not.toContain('of main alone')
  })

  it('have their name and sign-in changed only in the first space, whichever spaces they are in', async () => {
    const both = await add(admin, 'twice@example.test')
    await add(otherAdmin, 'twice@example.test')
    const here = await add(otherAdmin, 'once@example.test')
    const answers = []
    for (const { id } of [both, here])
      for (const change of [{ name: 'Eve' }, { disabled: true }])
        answers.push(await ask(otherAdmin, 'PUT', `/api/team/users/${id}`, change))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.detail}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(400)
    expect(unwrap(await kit.team.user(both.id))).toMatchObject({ name: '', disabled: false })
  })

  it('are unknown to the admins of another space', async () => {
    const user = await add(admin, 'mine@example.test')
    for (const [method, body] of [
      ['PUT', { role: 'admin' }],
      ['DELETE', undefined],
    ] as const) {
      const refused = await ask(otherAdmin, method, `/api/team/users/${user.id}`, body)
      expect([refused.status, JSON.stringify(refused.body)]).toEqual([
        404,
        expect.not.stringContaining('mine'),
      ])
    }
    expect(unwrap(await kit.team.user(user.id))?.roles).toEqual({ main: 'member' })
  })

  it('lose their role, tokens and browser sessions at once when they are removed', async () => {
    const user = await add(admin, 'gone@example.test', 'admin')
    const own = await kit.token({ space: 'main', role: 'admin', userId: user.id })
    const cookie = `panoptes_hub=${unwrap(await kit.team.signIn(user.id, 'main', Date.now() + 60_000))}`
    const rebuild = async () => (await kit.request('/api/team/audit', own)).status
    const browser = async () => (await fetch(`${kit.address}/api/me`, { headers: { cookie } })).status
    expect([await rebuild(), await browser()]).toEqual([200, 200])
    await ask(admin, 'PUT', `/api/team/users/${user.id}`, { role: 'viewer' })
    expect([await rebuild(), await browser()]).toEqual([403, 200])
    await ask(admin, 'PUT', `/api/team/users/${user.id}`, { disabled: true })
    expect([await rebuild(), await browser()]).toEqual([401, 401])
  })

  it.each([
    ['POST', '/api/team/users', { email: 'nobody' }],
    ['POST', '/api/team/users', { email: 'a@b', role: 'root' }],
    ['POST', '/api/team/users', { email: 'a@b', roles: { other: 'admin' } }],
    ['POST', '/api/team/tokens', { label: '' }],
    ['POST', '/api/team/tokens', { label: 'x', space: 'other' }],
    ['POST', '/api/team/tokens', { label: 'x', days: 0 }],
    ['POST', '/api/team/spaces', { name: 'Not A Name' }],
    ['POST', '/api/team/spaces', { name: 'other' }],
    ['GET', '/api/team/audit?limit=many', undefined],
  ])('are not changed by %s %s %j', async (method, path, body) => {
    const refused = await ask(admin, method, path, body)
    expect([refused.status, refused.body.code]).toEqual([400, 'invalid'])
  })
})

describe('tokens of a space', () => {
  it('are shown once, listed without their secret, and revoked only by its admins', async () => {
    const { body } = await ask(admin, 'POST', '/api/team/tokens', {
      label: 'build',
      scope: 'ingest',
      days: 7,
    })
    const { token, about } = body as { token: string; about: { id: string; expires_at: number } }
    expect(about).toMatchObject({
      label: 'build',
      space: 'main',
      scope: 'ingest',
      role: 'member',
      user_id: null,
    })
    expect(about.expires_at - Date.now()).toBeGreaterThan(6.9 * 86_400_000)
    expect((await kit.request('/events', token, { method: 'POST' })).status).toBe(200)
    expect(JSON.stringify(await ask(admin, 'GET', '/api/team/tokens'))).not.toContain(token)
    expect((await ask(otherAdmin, 'POST', `/api/team/tokens/${about.id}/revoke`)).status).toBe(404)
    expect((await kit.request('/events', token, { method: 'POST' })).status).toBe(200)
    expect((await ask(admin, 'POST', `/api/team/tokens/${about.id}/revoke`)).status).toBe(200)
    expect((await kit.request('/events', token, { method: 'POST' })).status).toBe(401)
  })
})

describe('the computer that sends with a token', () => {
  it('is listed with the token, by the name in its events', async () => {
    const { token, about } = (await ask(admin, 'POST', '/api/team/tokens', { label: 'sender' })).body as {
      token: string
      about: { id: string }
    }
    const listed = async () => {
      const { tokens } = (await ask(admin, 'GET', '/api/team/tokens')).body as {
        tokens: { id: string; host: string | null; host_seen: number | null }[]
      }
      return tokens.find(({ id }) => id === about.id)
    }
    expect(await listed()).toMatchObject({ host: null, host_seen: null })
    const sent = (host: string) => ask(token, 'POST', '/events', [{ ...session(host), host }])
    await sent('desk')
    await expect.poll(listed).toMatchObject({ host: 'desk', host_seen: expect.any(Number) })
    await sent('laptop')
    await expect.poll(listed).toMatchObject({ host: 'laptop' })
  })
})

describe('tokens of a person', () => {
  const make = (wish: object) =>
    ask(admin, 'POST', '/api/team/tokens', { label: 'phone', scope: 'ingest', ...wish })
  const created = async () =>
    (await ask(admin, 'GET', '/api/team/audit?action=tokens.create')).body.entries as readonly {
      readonly target: string
      readonly outcome: string
    }[]

  it('are limited to sending events if an admin makes them for somebody else', async () => {
    const user = await add(admin, 'writer@example.test', 'member')
    const { about } = (await make({ role: 'admin', user_id: user.id })).body as { about: object }
    expect(about).toMatchObject({ user_id: user.id, role: 'member', scope: 'ingest' })
    for (const scope of ['full', 'gateway']) {
      const refused = await make({ scope, user_id: user.id })
      expect([refused.status, refused.body.code]).toEqual([403, 'not_yours'])
      expect(refused.body.next).toContain('panoptes team tokens create --user')
      await expect.poll(created).toContainEqual(
        expect.objectContaining({
          target: `phone ${scope} member writer@example.test`,
          outcome: 'refused',
        }),
      )
    }
    await expect
      .poll(created)
      .toContainEqual(
        expect.objectContaining({ target: 'phone ingest member writer@example.test', outcome: 'done' }),
      )
    const own = await kit.ownToken('full')
    const here = await ask(own, 'POST', '/api/team/tokens', { label: 'x', scope: 'full', user_id: user.id })
    expect(here.status).toBe(403)
  })

  it('may have any scope if admins make them for themselves', async () => {
    const user = await add(admin, 'boss@example.test', 'admin')
    const secret = await kit.token({ space: 'main', role: 'admin', userId: user.id })
    const made = await ask(secret, 'POST', '/api/team/tokens', {
      label: 'own',
      scope: 'full',
      role: 'admin',
      user_id: user.id,
    })
    expect(made.body.about).toMatchObject({ user_id: user.id, scope: 'full', role: 'admin' })
  })

  it("are made, listed and revoked by the person, have at most the person's role, and end with it", async () => {
    const user = await add(admin, 'own@example.test', 'viewer')
    const signedIn = unwrap(await kit.team.signIn(user.id, 'main', Date.now() + 60_000))
    const browser = async (method: string, path: string, body?: unknown) => {
      const headers = { cookie: `panoptes_hub=${signedIn}` }
      const init = body === undefined ? {} : { body: JSON.stringify(body) }
      const answer = await fetch(`${kit.address}${path}`, { method, headers, ...init })
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
    }
    const made = await browser('POST', '/api/me/tokens', { label: 'script', scope: 'full', role: 'admin' })
    const { token, about } = made.body as { token: string; about: { id: string } }
    expect(about).toMatchObject({ user_id: user.id, role: 'viewer', scope: 'full', expires_at: null })
    expect((await ask(token, 'GET', '/api/me')).body).toMatchObject({ user: { email: 'own@example.test' } })
    await expect
      .poll(created)
      .toContainEqual(expect.objectContaining({ target: 'script full viewer own@example.test' }))
    const of = async () =>
      ((await browser('GET', '/api/me/tokens')).body.tokens as { label: string }[]).map(({ label }) => label)
    expect(await of()).toEqual(['script'])
    const others = (await make({ label: 'a machine' })).body.about as { id: string }
    expect((await browser('POST', `/api/me/tokens/${others.id}/revoke`)).status).toBe(404)
    expect((await browser('POST', `/api/me/tokens/${about.id}/revoke`)).status).toBe(200)
    expect((await ask(token, 'GET', '/api/me')).status).toBe(401)
    const again = (await browser('POST', '/api/me/tokens', { label: 'again', scope: 'full' })).body
    await ask(admin, 'DELETE', `/api/team/users/${user.id}`)
    expect((await ask(String(again.token), 'GET', '/api/me')).status).toBe(401)
  })

  it('expire with the token that created them, at the latest', async () => {
    const user = await add(admin, 'lasting@example.test')
    const expiresAt = Date.now() + 60_000
    const own = await kit.token({ space: 'main', userId: user.id, expiresAt })
    for (const days of [null, 30]) {
      const made = await ask(own, 'POST', '/api/me/tokens', { label: 'longer', days })
      expect(made.body.about).toMatchObject({ expires_at: expiresAt })
    }
  })

  it("cannot be made with a machine's token", async () => {
    expect((await ask(admin, 'GET', '/api/me/tokens')).status).toBe(400)
    expect((await ask(admin, 'POST', '/api/me/tokens', { label: 'x' })).status).toBe(400)
  })

  it('cannot be made for people who are disabled, unknown or in another space, and the refusal reveals nothing', async () => {
    const stranger = await add(otherAdmin, 'stranger@example.test')
    const refused = await make({ user_id: stranger.id })
    expect(refused.status).toBe(404)
    expect(JSON.stringify(refused.body)).not.toContain('stranger')
    expect((await make({ user_id: 'nobody' })).body.detail).toBe(refused.body.detail)
    expect((await make({ user_id: '' })).status).toBe(400)
    const user = await add(admin, 'away@example.test')
    await ask(admin, 'PUT', `/api/team/users/${user.id}`, { disabled: true })
    expect((await make({ user_id: user.id })).status).toBe(400)
  })
})

describe('spaces', () => {
  it('are created by an admin of the first space, who becomes their first admin', async () => {
    expect((await ask(otherAdmin, 'POST', '/api/team/spaces', { name: 'mine' })).status).toBe(403)
    const user = await add(admin, 'maker@example.test', 'admin')
    const own = await kit.token({ space: 'main', role: 'admin', userId: user.id })
    expect((await ask(own, 'POST', '/api/team/spaces', { name: 'fresh' })).body).toMatchObject({
      name: 'fresh',
    })
    expect(opened).toEqual(['fresh'])
    expect(unwrap(await kit.team.user(user.id))?.roles).toMatchObject({ fresh: 'admin' })
    const { spaces } = (await ask(own, 'GET', '/api/team/spaces')).body as { spaces: { name: string }[] }
    expect(spaces.map(({ name }) => name)).toEqual(expect.arrayContaining(['fresh', 'main', 'other']))
  })
})

describe('the audit log of a space', () => {
  it('records changes and refusals with their address, and nothing of another space', async () => {
    const viewer = await kit.token({ space: 'main', role: 'viewer', label: 'a curious one' })
    await add(admin, 'audited@example.test')
    await kit.request('/api/rebuild', viewer, { method: 'POST' })
    await kit.request('/api/rebuild', viewer, { method: 'POST' })
    await ask(otherAdmin, 'POST', '/api/team/tokens', { label: 'of the other' })
    const entries = async (secret: string) =>
      (await ask(secret, 'GET', '/api/team/audit?limit=500')).body.entries as readonly Record<
        string,
        unknown
      >[]
    await expect.poll(async () => JSON.stringify(await entries(otherAdmin))).toContain('of the other')
    const [here, there] = [await entries(admin), await entries(otherAdmin)]
    expect(here).toContainEqual(
      expect.objectContaining({
        actor: 'boss',
        action: 'users.create',
        target: 'audited@example.test member',
        outcome: 'done',
        space: 'main',
        address: '127.0.0.1',
      }),
    )
    const refused = here.filter(({ actor }) => actor === 'a curious one')
    expect(refused).toMatchObject([{ action: 'rebuild', outcome: 'refused', target: 'wrong_role' }])
    expect(JSON.stringify(here)).not.toContain('of the other')
    expect(JSON.stringify(there)).not.toContain('audited@example.test')
    expect(there.every(({ space }) => space === 'other')).toBe(true)
  })

  it('is read page by page', async () => {
    const first = (await ask(admin, 'GET', '/api/team/audit?limit=2')).body as {
      entries: { id: number }[]
      next: number
    }
    const second = (await ask(admin, 'GET', `/api/team/audit?limit=2&before=${first.next}`))
      .body as typeof first
    const ids = [...first.entries, ...second.entries].map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a))
    expect(ids).toHaveLength(4)
  })
})
