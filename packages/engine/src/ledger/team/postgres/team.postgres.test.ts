import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { value } from '../../conformance/lab.ts'
import type { Team } from '../port.ts'
import { type OwnDatabase, ownDatabase } from './database.test-kit.ts'
import { openTeam } from './team.ts'

let database: OwnDatabase
let team: Team
let other: Team

const open = async () => value(await openTeam({ url: database.url }))

beforeAll(async () => {
  database = await ownDatabase()
})
afterAll(() => database.drop())
beforeEach(async () => {
  await database.ask('DROP SCHEMA IF EXISTS panoptes_team CASCADE')
  // At once, as hubs that come up together.
  ;[team, other] = await Promise.all([open(), open()])
})
afterEach(async () => {
  await Promise.all([team.close(), other.close()])
})

const person = async (email: string, role: 'viewer' | 'member' | 'admin' = 'member', space = 'main') => {
  const { id } = value(await team.createUser({ email }))
  return value(await team.setRole(id, space, role))
}

const tokenOf = async (wish: Partial<Parameters<Team['createToken']>[0]> = {}) =>
  value(
    await team.createToken({
      label: 'build machine',
      space: 'main',
      scope: 'ingest',
      role: 'member',
      ...wish,
    }),
  )

describe('spaces', () => {
  it('begin with main, and are told by every hub', async () => {
    value(await team.createSpace('blue-2'))
    expect(value(await other.spaces()).map(({ name }) => name)).toEqual(['blue-2', 'main'])
    expect(await other.createSpace('main')).toMatchObject({ ok: false, code: 'invalid' })
  })

  it('are of no name that could be read as something else', async () => {
    for (const name of [
      '',
      'Main',
      'a b',
      'a_b',
      "x'; DROP TABLE spaces;--",
      'a"b',
      'ä',
      '-a',
      'a'.repeat(41),
      'a\0',
    ])
      expect(await team.createSpace(name)).toMatchObject({ ok: false, code: 'invalid' })
    expect(value(await team.spaces())).toHaveLength(1)
  })

  it('are made once where two make one at once', async () => {
    const made = await Promise.all([team.createSpace('blue'), other.createSpace('blue')])
    expect(made.map((each) => (each.ok ? 'made' : each.code)).sort()).toEqual(['invalid', 'made'])
  })
})

describe('people', () => {
  it('are known by their address, whatever its case, once', async () => {
    const { id } = await person('Ada@Example.org')
    expect(value(await other.findUser({ email: ' ada@example.ORG ' }))?.id).toBe(id)
    expect(await other.createUser({ email: 'ADA@example.org' })).toMatchObject({ ok: false, code: 'invalid' })
    expect(value(await team.findUser({ email: 'nobody@example.org' }))).toBeNull()
  })

  it('have names and addresses as they were given, however strange', async () => {
    const names = [`Robert'); DROP TABLE users;--`, '"; $1 \\', '名前 🙂', '<script>alert(1)</script>', '']
    for (const [at, name] of names.entries()) {
      const made = value(await team.createUser({ email: `o'neil+${at}@exämple.org`, name }))
      expect(value(await other.user(made.id))).toMatchObject({ name, email: `o'neil+${at}@exämple.org` })
    }
    for (const email of ['', 'a', 'a@', 'a b@c', 'a@b\nc', 'a\u001b[2J@b', `${'x'.repeat(400)}@b`, 'a@b@c'])
      expect(await team.createUser({ email })).toMatchObject({ ok: false, code: 'invalid' })
    expect(await team.createUser({ email: 'a@b', name: 'x'.repeat(201) })).toMatchObject({ code: 'invalid' })
    expect(value(await team.users())).toHaveLength(names.length)
  })

  it('are listed for a space without a word of others', async () => {
    value(await team.createSpace('blue'))
    const { id } = await person('ada@a', 'admin')
    value(await team.setRole(id, 'blue', 'viewer'))
    await person('bob@a', 'member', 'blue')
    expect(value(await team.users('main')).map(({ email, roles }) => [email, roles])).toEqual([
      ['ada@a', { main: 'admin' }],
    ])
    expect(value(await team.users('blue')).map(({ email, roles }) => [email, roles])).toEqual([
      ['ada@a', { blue: 'viewer' }],
      ['bob@a', { blue: 'member' }],
    ])
    expect(value(await team.user(id))?.roles).toEqual({ blue: 'viewer', main: 'admin' })
  })

  it('are the same when their provider gives another address, and no two are one', async () => {
    const ada = await person('ada@a')
    const bob = await person('bob@a')
    value(await team.linkUser(ada.id, 'https://id.example#1'))
    expect(value(await other.findUser({ subject: 'https://id.example#1' }))?.id).toBe(ada.id)
    value(await team.linkUser(ada.id, 'https://id.example#1'))
    expect(await team.linkUser(bob.id, 'https://id.example#1')).toMatchObject({ ok: false, code: 'invalid' })
    expect(await team.linkUser(ada.id, 'https://id.example#2')).toMatchObject({ ok: false, code: 'invalid' })
  })

  it('are not found where there is nobody', async () => {
    const missing = { ok: false, code: 'not_found' }
    expect(value(await team.user('x'))).toBeNull()
    expect(await team.changeUser('x', { name: 'y' })).toMatchObject(missing)
    expect(await team.setRole('x', 'main', 'admin')).toMatchObject(missing)
    expect(await team.removeUser('x')).toMatchObject(missing)
    expect(await team.linkUser('x', 'y')).toMatchObject(missing)
    const { id } = await person('ada@a')
    expect(await team.setRole(id, 'nowhere', 'admin')).toMatchObject(missing)
  })

  it('leave a space its last admin, whichever way they would go', async () => {
    const { id } = await person('ada@a', 'admin')
    const gone = await person('off@a', 'admin')
    value(await team.changeUser(gone.id, { disabled: true }))
    const refused = {
      ok: false,
      code: 'invalid',
      message: expect.stringContaining('last admin of the space "main"'),
    }
    expect(await team.setRole(id, 'main', 'member')).toMatchObject(refused)
    expect(await team.setRole(id, 'main', null)).toMatchObject(refused)
    expect(await team.changeUser(id, { disabled: true })).toMatchObject(refused)
    expect(await team.removeUser(id)).toMatchObject(refused)
    value(await team.changeUser(gone.id, { disabled: false }))
    value(await team.removeUser(id))
  })

  it('leave a space its last admin where two go at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const space = `s${round}`
      value(await team.createSpace(space))
      const one = await person(`one${round}@a`, 'admin', space)
      const two = await person(`two${round}@a`, 'admin', space)
      const went = await Promise.all(
        round % 2 === 0
          ? [team.setRole(one.id, space, null), other.removeUser(two.id)]
          : [team.changeUser(one.id, { disabled: true }), other.setRole(two.id, space, 'viewer')],
      )
      expect(went.map(({ ok }) => ok).sort()).toEqual([false, true])
      const admins = value(await team.users(space)).filter(
        ({ roles, disabled }) => roles[space] === 'admin' && !disabled,
      )
      expect(admins).toHaveLength(1)
    }
  })
})

describe('tokens', () => {
  it('are told once, and known by every hub at once', async () => {
    const { token, about } = await tokenOf()
    expect(token).toMatch(/^pan_[\w-]{43}$/)
    expect(about).toMatchObject({ hint: `${token.slice(0, 10)}…`, revoked_at: null, last_used: null })
    expect(value(await other.identify(token))).toEqual({
      identity: {
        user_id: null,
        token_id: about.id,
        label: 'build machine',
        space: 'main',
        scope: 'ingest',
        role: 'member',
        expires_at: null,
      },
    })
  })

  it('of a person never have more than the person has now', async () => {
    const boss = await person('boss@a', 'admin')
    const ada = await person('ada@a', 'viewer')
    const { token } = await tokenOf({ userId: ada.id, role: 'admin', scope: 'full' })
    const role = async () => {
      const found = value(await other.identify(token))
      return 'identity' in found ? found.identity.role : found.refused
    }
    expect(await role()).toBe('viewer')
    value(await team.setRole(ada.id, 'main', 'admin'))
    expect(await role()).toBe('admin')
    value(await team.changeUser(ada.id, { disabled: true }))
    expect(await role()).toBe('disabled')
    value(await team.changeUser(ada.id, { disabled: false }))
    value(await team.setRole(ada.id, 'main', null))
    expect(await role()).toBe('revoked')
    value(await team.removeUser(ada.id))
    expect(await role()).toBe('unknown')
    expect(value(await team.tokens('main'))).toEqual([])
    expect(value(await team.user(boss.id))).not.toBeNull()
  })

  it('end by the clock of the database, and by being revoked in their own space alone', async () => {
    value(await team.createSpace('blue'))
    const [{ now }] = (await database.ask('SELECT extract(epoch FROM now()) * 1000 AS now')) as [
      { now: string },
    ]
    const ended = await tokenOf({ expiresAt: Math.floor(Number(now)) - 1 })
    const lasting = await tokenOf({ expiresAt: Math.floor(Number(now)) + 60_000 })
    expect(value(await team.identify(ended.token))).toEqual({ refused: 'expired' })
    expect(value(await team.identify(lasting.token))).toHaveProperty('identity')
    expect(await team.revokeToken('blue', lasting.about.id)).toMatchObject({ ok: false, code: 'not_found' })
    const revoked = value(await team.revokeToken('main', lasting.about.id))
    expect(revoked.revoked_at).toBeGreaterThan(0)
    expect(value(await other.identify(lasting.token))).toEqual({ refused: 'revoked' })
    expect(value(await other.revokeToken('main', lasting.about.id)).revoked_at).toBe(revoked.revoked_at)
  })

  it('are refused whatever else is sent as one', async () => {
    const { token } = await tokenOf()
    for (const secret of [
      '',
      'pan_',
      token.slice(0, -1),
      `${token}x`,
      token.toUpperCase(),
      `pan_${"' OR 1=1--"}`,
      'x'.repeat(1e6),
      'pan_\0',
    ])
      expect(value(await team.identify(secret))).toEqual({ refused: 'unknown' })
  })

  it('say when they were last used, at most once a minute', async () => {
    const ada = await person('ada@a')
    const { token, about } = await tokenOf({ userId: ada.id })
    await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 ? team : other).identify(token)))
    const used = async () => value(await team.tokens('main')).find(({ id }) => id === about.id)?.last_used
    const first = await used()
    expect(first).toBeGreaterThan(0)
    expect(value(await team.user(ada.id))?.last_seen).toBeGreaterThan(0)
    value(await team.identify(token))
    expect(await used()).toBe(first)
    await database.ask('UPDATE panoptes_team.tokens SET last_used = last_used - 61000')
    value(await team.identify(token))
    expect(await used()).toBeGreaterThanOrEqual(Number(first))
  })

  it('are looked up though somebody holds their row', async () => {
    const { token } = await tokenOf()
    await database.ask('BEGIN')
    await database.ask('SELECT FROM panoptes_team.tokens FOR UPDATE')
    expect(value(await team.identify(token))).toHaveProperty('identity')
    await database.ask('ROLLBACK')
  })

  it('are of nobody who is not in the space, and of no space that is not there', async () => {
    value(await team.createSpace('blue'))
    const ada = await person('ada@a')
    expect(
      await team.createToken({ label: 'x', space: 'blue', scope: 'full', role: 'viewer', userId: ada.id }),
    ).toMatchObject({ ok: false, code: 'invalid' })
    expect(await team.createToken({ label: 'x', space: 'red', scope: 'full', role: 'viewer' })).toMatchObject(
      { ok: false, code: 'not_found' },
    )
    expect(await team.createToken({ label: '', space: 'main', scope: 'full', role: 'viewer' })).toMatchObject(
      { ok: false, code: 'invalid' },
    )
  })
})

describe('sign-ins', () => {
  it('are for one space, move to another the person is in, and end', async () => {
    value(await team.createSpace('blue'))
    value(await team.createSpace('red'))
    const ada = await person('ada@a', 'admin')
    value(await team.setRole(ada.id, 'blue', 'viewer'))
    const secret = value(await team.signIn(ada.id, 'main', Date.now() + 60_000))
    expect(secret).toMatch(/^ses_[\w-]{43}$/)
    const identity = async () => value(await other.identify(secret))
    expect(await identity()).toMatchObject({
      identity: {
        user_id: ada.id,
        token_id: null,
        label: 'ada@a',
        space: 'main',
        scope: 'full',
        role: 'admin',
      },
    })
    expect(await team.moveSignIn(secret, 'red')).toMatchObject({ ok: false, code: 'invalid' })
    value(await team.moveSignIn(secret, 'blue'))
    expect(await identity()).toMatchObject({ identity: { space: 'blue', role: 'viewer' } })
    value(await team.signOut(secret))
    expect(await identity()).toEqual({ refused: 'unknown' })
    expect(await team.moveSignIn(secret, 'main')).toMatchObject({ ok: false, code: 'not_found' })
    const short = value(await team.signIn(ada.id, 'main', Date.now() - 1))
    expect(value(await team.identify(short))).toEqual({ refused: 'expired' })
  })

  it('end with the person being disabled, and do not come back', async () => {
    await person('boss@a', 'admin')
    const ada = await person('ada@a')
    const secret = value(await team.signIn(ada.id, 'main', Date.now() + 60_000))
    value(await other.changeUser(ada.id, { disabled: true }))
    value(await other.changeUser(ada.id, { disabled: false }))
    expect(value(await team.identify(secret))).toEqual({ refused: 'unknown' })
  })
})

describe('the audit log', () => {
  const entry = (action: string, space: string | null = 'main', actor = 'ada@a') => ({
    actor,
    user_id: null,
    token_id: null,
    space,
    action,
    target: null,
    outcome: 'done' as const,
    address: '127.0.0.1',
  })

  it('is told the newest first, page by page, by who, what and where', async () => {
    value(await team.note(Array.from({ length: 25 }, (_, at) => entry(at % 2 ? 'tokens.create' : 'sign-in'))))
    value(
      await other.note([
        entry('spaces.create', null),
        entry('tokens', 'blue'),
        entry('tokensx', 'main', 'Bob@a'),
      ]),
    )
    const read = async (query: Partial<Parameters<Team['audit']>[0]>) =>
      value(await team.audit({ limit: 100, ...query }))
    const first = await read({ limit: 10 })
    const second = await read({ limit: 100, before: first.next ?? 0 })
    expect(first.entries.length + second.entries.length).toBe(28)
    expect(second.next).toBeNull()
    const ids = [...first.entries, ...second.entries].map(({ id }) => id)
    expect(ids).toEqual([...ids].sort((a, b) => b - a))
    expect((await read({ space: null })).entries.map(({ action }) => action)).toEqual(['spaces.create'])
    expect((await read({ space: 'main', action: 'tokens' })).entries).toHaveLength(12)
    expect((await read({ actor: 'bob@A' })).entries).toHaveLength(1)
    expect(value(await team.retainAudit(Date.now() - 60_000))).toBe(0)
    expect(value(await team.retainAudit(Date.now() + 60_000))).toBe(28)
  })

  it('keeps what somebody did who is gone, and no more of a long word than can be read', async () => {
    await person('boss@a', 'admin')
    const ada = await person('ada@a')
    value(await team.note([{ ...entry('sign-in'), user_id: ada.id, target: `\0${'x'.repeat(9_999)}` }]))
    value(await team.removeUser(ada.id))
    const [kept] = value(await team.audit({ limit: 1 })).entries
    expect(kept).toMatchObject({ actor: 'ada@a', user_id: ada.id })
    expect(kept?.target).toHaveLength(500)
  })
})

it('all hubs sign with the same key, whoever asked first', async () => {
  const asked = await Promise.all([team.secret(), other.secret(), team.secret()])
  const [key] = new Set(asked.map(value))
  expect(new Set(asked.map(value)).size).toBe(1)
  expect(key).toMatch(/^[\w-]{43}$/)
  expect(value(await other.secret())).toBe(key)
})

it('nothing of a secret is in any table', async () => {
  const ada = await person('ada@a')
  const { token } = await tokenOf({ userId: ada.id })
  const secret = value(await team.signIn(ada.id, 'main', Date.now() + 60_000))
  await team.identify(token)
  await team.identify(secret)
  const tables = await database.ask(`SELECT tablename FROM pg_tables WHERE schemaname = 'panoptes_team'`)
  expect(tables.length).toBeGreaterThan(5)
  for (const { tablename } of tables) {
    const rows = await database.ask(`SELECT t::text AS row FROM panoptes_team.${tablename} t`)
    const all = JSON.stringify(rows)
    for (const told of [token, secret]) {
      expect(all).not.toContain(told.slice(4, 24))
      expect(all).not.toContain(Buffer.from(told).toString('hex').slice(0, 40))
      expect(all).not.toContain(told.slice(-12))
    }
  }
})
