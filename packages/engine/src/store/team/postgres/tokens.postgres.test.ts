import { describe, expect, it } from 'vitest'
import { value } from '../../conformance/lab.ts'
import type { Team } from '../port.ts'
import { useTeam } from './team.test-kit.ts'

let team: Team
let other: Team

const { ask, person, createToken } = useTeam((...hubs) => {
  ;[team, other] = hubs
})

describe('tokens', () => {
  it('are shown once, and accepted by every hub at once', async () => {
    const { token, about } = await createToken()
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

  it('never have more rights than their person has now', async () => {
    const boss = await person('boss@a', 'admin')
    const ada = await person('ada@a', 'viewer')
    const { token } = await createToken({ userId: ada.id, role: 'admin', scope: 'full' })
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
    expect(value(await team.user(boss.id))).not.toBeNull()
  })

  it('end when their person leaves the space, and stay ended after a return', async () => {
    await person('boss@a', 'admin')
    value(await team.createSpace('blue'))
    const ada = await person('ada@a')
    value(await team.setRole(ada.id, 'blue', 'member'))
    const [here, there] = [
      await createToken({ userId: ada.id, scope: 'full' }),
      await createToken({ userId: ada.id, space: 'blue' }),
    ]
    const signedIn = value(await team.signIn(ada.id, 'main', Date.now() + 60_000))
    const good = async () =>
      Promise.all(
        [here.token, there.token, signedIn].map(
          async (secret) => 'identity' in value(await team.identify(secret)),
        ),
      )
    expect(await good()).toEqual([true, true, true])
    value(await team.setRole(ada.id, 'main', null))
    value(await team.setRole(ada.id, 'main', 'admin'))
    expect(await good()).toEqual([false, true, false])
    value(await other.removeUser(ada.id))
    value(await team.setRole(ada.id, 'blue', 'member'))
    expect(await good()).toEqual([false, false, false])
    expect(value(await team.tokens('blue'))).toMatchObject([{ revoked_at: expect.any(Number) }])
  })

  it.each(['ingest', 'gateway'] as const)(
    'with the scope %s are not for viewers, who may not send',
    async (scope) => {
      const eve = await person('eve@a', 'viewer')
      const wish = { label: 'x', space: 'main', scope }
      for (const of of [{ role: 'viewer' as const }, { role: 'member' as const, userId: eve.id }])
        expect(await team.createToken({ ...wish, ...of })).toMatchObject({ ok: false, code: 'invalid' })
    },
  )

  it("expire by the database's clock, and are revoked only in their own space", async () => {
    value(await team.createSpace('blue'))
    const [{ now }] = (await ask('SELECT extract(epoch FROM now()) * 1000 AS now')) as [{ now: string }]
    const ended = await createToken({ expiresAt: Math.floor(Number(now)) - 1 })
    const lasting = await createToken({ expiresAt: Math.floor(Number(now)) + 60_000 })
    expect(value(await team.identify(ended.token))).toEqual({ refused: 'expired' })
    expect(value(await team.identify(lasting.token))).toHaveProperty('identity')
    expect(await team.revokeToken('blue', lasting.about.id)).toMatchObject({ ok: false, code: 'not_found' })
    const revoked = value(await team.revokeToken('main', lasting.about.id))
    expect(revoked.revoked_at).toBeGreaterThan(0)
    expect(value(await other.identify(lasting.token))).toEqual({ refused: 'revoked' })
    expect(value(await other.revokeToken('main', lasting.about.id)).revoked_at).toBe(revoked.revoked_at)
  })

  it('are refused as unknown when the secret is malformed or altered', async () => {
    const { token } = await createToken()
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

  it('record when they were last used, at most once a minute', async () => {
    const ada = await person('ada@a')
    const { token, about } = await createToken({ userId: ada.id })
    await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 ? team : other).identify(token)))
    const used = async () => value(await team.tokens('main')).find(({ id }) => id === about.id)?.last_used
    const first = await used()
    expect(first).toBeGreaterThan(0)
    expect(value(await team.user(ada.id))?.last_seen).toBeGreaterThan(0)
    value(await team.identify(token))
    expect(await used()).toBe(first)
    await ask('UPDATE panoptes_team.tokens SET last_used = last_used - 61000')
    value(await team.identify(token))
    expect(await used()).toBeGreaterThanOrEqual(Number(first))
  })

  it('are recognised even while another transaction locks their row', async () => {
    const { token } = await createToken()
    await ask('BEGIN')
    await ask('SELECT FROM panoptes_team.tokens FOR UPDATE')
    expect(value(await team.identify(token))).toHaveProperty('identity')
    await ask('ROLLBACK')
  })

  it('are not created for people outside the space or for a missing space', async () => {
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
  it('belong to one space, move to another the person is in, and end', async () => {
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
    expect(value(await team.signOut(secret))).toBe(true)
    expect(value(await team.signOut(secret))).toBe(false)
    expect(await identity()).toEqual({ refused: 'unknown' })
    expect(await team.moveSignIn(secret, 'main')).toMatchObject({ ok: false, code: 'not_found' })
    const short = value(await team.signIn(ada.id, 'main', Date.now() - 1))
    expect(value(await team.identify(short))).toEqual({ refused: 'expired' })
  })

  it('end when the person is disabled, and do not come back', async () => {
    await person('boss@a', 'admin')
    const ada = await person('ada@a')
    const secret = value(await team.signIn(ada.id, 'main', Date.now() + 60_000))
    value(await other.changeUser(ada.id, { disabled: true }))
    value(await other.changeUser(ada.id, { disabled: false }))
    expect(value(await team.identify(secret))).toEqual({ refused: 'unknown' })
  })
})

it('store no secret in any table', async () => {
  const ada = await person('ada@a')
  const { token } = await createToken({ userId: ada.id })
  const secret = value(await team.signIn(ada.id, 'main', Date.now() + 60_000))
  await team.identify(token)
  await team.identify(secret)
  const tables = await ask(`SELECT tablename FROM pg_tables WHERE schemaname = 'panoptes_team'`)
  expect(tables.length).toBeGreaterThan(5)
  for (const { tablename } of tables) {
    const rows = await ask(`SELECT t::text AS row FROM panoptes_team.${tablename} t`)
    const all = JSON.stringify(rows)
    for (const hiddenText of [token, secret]) {
      expect(all).not.toContain(hiddenText.slice(4, 24))
      expect(all).not.toContain(Buffer.from(hiddenText).toString('hex').slice(0, 40))
      expect(all).not.toContain(hiddenText.slice(-12))
    }
  }
})
