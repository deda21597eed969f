import { describe, expect, it } from 'vitest'
import { value } from '../../conformance/lab.ts'
import type { Team } from '../port.ts'
import { useTeam } from './team.test-kit.ts'

let team: Team
let other: Team

const { person } = useTeam((...hubs) => {
  ;[team, other] = hubs
})

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

  it('are let in with a new account, and with it alone, once an admin said so', async () => {
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

  it('who are removed are in no space, and the same person when they are taken into one again', async () => {
    value(await team.createSpace('blue'))
    const ada = await person('ada@a')
    value(await team.setRole(ada.id, 'blue', 'member'))
    value(await team.changeUser(ada.id, { disabled: true }))
    value(await team.removeUser(ada.id))
    expect(value(await team.users('main'))).toEqual([])
    const known = value(await other.findUser({ email: 'ada@a' }))
    expect(known).toMatchObject({ id: ada.id, roles: {}, disabled: false })
    expect(value(await team.setRole(ada.id, 'blue', 'viewer')).roles).toEqual({ blue: 'viewer' })
  })

  it('are changed by an admin of one space only while they are in no other', async () => {
    value(await team.createSpace('blue'))
    const ada = await person('ada@a', 'member', 'blue')
    expect(value(await team.changeUser(ada.id, { name: 'Ada', onlyIn: 'blue' })).name).toBe('Ada')
    value(await team.setRole(ada.id, 'main', 'viewer'))
    for (const change of [{ name: 'Eve' }, { disabled: true }])
      expect(await team.changeUser(ada.id, { ...change, onlyIn: 'blue' })).toMatchObject({ code: 'invalid' })
    expect(value(await other.user(ada.id))).toMatchObject({ name: 'Ada', disabled: false })
  })

  it('are not found where there is nobody', async () => {
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

it('all hubs sign with the same key, whoever asked first', async () => {
  const asked = await Promise.all([team.secret(), other.secret(), team.secret()])
  const [key] = new Set(asked.map(value))
  expect(new Set(asked.map(value)).size).toBe(1)
  expect(key).toMatch(/^[\w-]{43}$/)
  expect(value(await other.secret())).toBe(key)
})
