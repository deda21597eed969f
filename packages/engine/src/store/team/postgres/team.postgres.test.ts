import { describe, expect, it } from 'vitest'
import { value } from '../../conformance/lab.ts'
import type { Team } from '../port.ts'
import { useTeam } from './team.test-kit.ts'

let team: Team
let other: Team

const { ask, person } = useTeam((...hubs) => {
  ;[team, other] = hubs
})

describe('spaces', () => {
  it('begin with main, and are listed by every hub', async () => {
    value(await team.createSpace('blue-2'))
    expect(value(await other.spaces()).map(({ name }) => name)).toEqual(['blue-2', 'main'])
    expect(await other.createSpace('main')).toMatchObject({ ok: false, code: 'invalid' })
  })

  it('reject a name that could be read as something else', async () => {
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

  it('are created once when two hubs create one at the same time', async () => {
    const made = await Promise.all([team.createSpace('blue'), other.createSpace('blue')])
    expect(made.map((each) => (each.ok ? 'made' : each.code)).sort()).toEqual(['invalid', 'made'])
  })
})

describe('people', () => {
  it('are identified once by their address, whatever its case', async () => {
    const { id } = await person('Ada@Example.org')
    expect(value(await other.findUser({ email: ' ada@example.ORG ' }))?.id).toBe(id)
    expect(await other.createUser({ email: 'ADA@example.org' })).toMatchObject({ ok: false, code: 'invalid' })
    expect(value(await team.findUser({ email: 'nobody@example.org' }))).toBeNull()
  })

  it('keep names and addresses unchanged, however strange they are', async () => {
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

  it('are listed for a space without any information about others', async () => {
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

  it('stay the same when their provider changes the address, and never merge', async () => {
    const ada = await person('ada@a')
    const bob = await person('bob@a')
    value(await team.linkUser(ada.id, 'https://id.example#1'))
    expect(value(await other.findUser({ subject: 'https://id.example#1' }))?.id).toBe(ada.id)
    value(await team.linkUser(ada.id, 'https://id.example#1'))
    expect(await team.linkUser(bob.id, 'https://id.example#1')).toMatchObject({ ok: false, code: 'invalid' })
    expect(await team.linkUser(ada.id, 'https://id.example#2')).toMatchObject({ ok: false, code: 'invalid' })
  })

  it('can be linked to one new account after an admin unlinked the old one', async () => {
    const ada = await person('ada@a')
    value(await team.linkUser(ada.id, 'https://id.example#1'))
    const signedIn = value(await team.signIn(ada.id, 'main', Date.now() + 60_000))
    value(await other.unlinkUser(ada.id))
    expect(value(await team.findUser({ subject: 'https://id.example#1' }))).toBeNull()
    expect(value(await team.identify(signedIn))).toEqual({ refused: 'unknown' })
    value(await team.linkUser(ada.id, 'https://id.example#2'))
    expect(value(await other.findUser({ subject: 'https://id.example#2' }))?.id).toBe(ada.id)
    expect(await team.linkUser(ada.id, 'https://id.example#1')).toMatchObject({ ok: false, code: 'invalid' })
  })

  it('are in no space after removal, and the same person when they are added again', async () => {
    value(await team.createSpace('blue'))
    const ada = await person('ada@a')
    value(await team.setRole(ada.id, 'blue', 'member'))
    value(await team.changeUser(ada.id, { disabled: true }))
    value(await team.removeUser(ada.id))
    expect(value(await team.users('main'))).toEqual([])
    const user = value(await other.findUser({ email: 'ada@a' }))
    expect(user).toMatchObject({ id: ada.id, roles: {}, disabled: false })
    expect(value(await team.setRole(ada.id, 'blue', 'viewer')).roles).toEqual({ blue: 'viewer' })
  })

  it('are visible to a space from their joining on, with activity in it alone', async () => {
    value(await team.createSpace('blue'))
    const ada = await person('ada@a', 'admin')
    await ask('UPDATE panoptes_team.users SET created_at = 1 WHERE id = $1', [ada.id])
    const began = Date.now() - 60_000
    value(await team.setRole(ada.id, 'blue', 'viewer'))
    const { token } = value(
      await team.createToken({
        label: 'x',
        space: 'main',
        scope: 'full',
        role: 'viewer',
        userId: ada.id,
      }),
    )
    value(await team.identify(token))
    for (const inBlue of [value(await team.user(ada.id, 'blue')), value(await team.users('blue'))[0]]) {
      expect(inBlue).toMatchObject({ id: ada.id, roles: { blue: 'viewer' }, last_seen: null })
      expect(inBlue?.created_at).toBeGreaterThan(began)
    }
    expect(value(await team.user(ada.id, 'main'))?.last_seen).toBeGreaterThan(began)
    expect(value(await team.user(ada.id, 'nowhere'))).toBeNull()
  })

  it('are refused in terms of the space of the request', async () => {
    value(await team.createSpace('blue'))
    const ada = await person('ada@a', 'admin', 'blue')
    const change = { disabled: true }
    const named = await team.changeUser(ada.id, change)
    const unnamed = await team.changeUser(ada.id, { ...change, askedIn: 'main' })
    expect(named).toMatchObject({ code: 'invalid', message: expect.stringContaining('"blue"') })
    expect(unnamed).toMatchObject({ code: 'invalid', message: expect.not.stringContaining('blue') })
  })

  it('are not found when they do not exist', async () => {
    const missing = { ok: false, code: 'not_found' }
    expect(value(await team.user('x'))).toBeNull()
    expect(await team.changeUser('x', { name: 'y' })).toMatchObject(missing)
    expect(await team.setRole('x', 'main', 'admin')).toMatchObject(missing)
    expect(await team.removeUser('x')).toMatchObject(missing)
    expect(await team.linkUser('x', 'y')).toMatchObject(missing)
    expect(await team.unlinkUser('x')).toMatchObject(missing)
    const { id } = await person('ada@a')
    expect(await team.setRole(id, 'nowhere', 'admin')).toMatchObject(missing)
  })

  it('leave a space its last admin, whichever way they would leave', async () => {
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

  it('leave a space its last admin when two leave at once', async () => {
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

it('share one signing key across all hubs, whichever hub asks for it first', async () => {
  const keys = await Promise.all([team.secret(), other.secret(), team.secret()])
  const [key] = new Set(keys.map(value))
  expect(new Set(keys.map(value)).size).toBe(1)
  expect(key).toMatch(/^[\w-]{43}$/)
  expect(value(await other.secret())).toBe(key)
})
