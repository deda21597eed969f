import { failure, type Identity, success } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import type { CallerLookup, RequestHead } from '../authenticate.ts'
import { createCookie } from '../credentials.ts'
import { createIdentities } from './identities.ts'
import { createRateLimiter } from './rate-limiter.ts'
import { createTeamCallers, readCredential } from './team-callers.ts'

const MEMBER = {
  token_id: 't1',
  user_id: 'u1',
  scope: 'full',
  role: 'member',
  space: 'main',
  expires_at: null,
} as unknown as Identity
const REMOTE = { host: 'hub.example' }

function hub({ burst = 100, strange = 100 } = {}) {
  const state = { isAway: false, space: 'main', now: 0, limited: 0 }
  const identities = createIdentities(
    {
      identify: async (secret: string) => {
        if (state.isAway) return failure('io', 'The database is away.')
        return secret === 'good'
          ? success({ identity: { ...MEMBER, space: state.space } })
          : success({ refused: 'unknown' as const })
      },
    },
    () => state.now,
  )
  const find = createTeamCallers({
    identities,
    home: () => ({ refused: 'none' }),
    cookie: createCookie('panoptes', 'Strict', 'https://hub.example'),
    known: createRateLimiter({ perSecond: 1, burst }, () => state.now),
    strangers: createRateLimiter({ perSecond: 1, burst: strange }, () => state.now),
    onLimited: () => {
      state.limited += 1
    },
  })
  const ask = async (headers: object, path = '/api/status'): Promise<CallerLookup> =>
    find({ path, headers: { ...REMOTE, ...headers }, peer: '203.0.113.7' } as unknown as RequestHead)
  return { state, ask }
}
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

describe('teamCallers', () => {
  it('accepts a valid token, with the role and the space of its identity', async () => {
    const { ask } = hub()
    expect(await ask(bearer('good'))).toMatchObject({
      caller: { scope: 'full', via: 'bearer', role: 'member', space: 'main', home: false, identity: MEMBER },
    })
    expect(await ask(bearer('bad'))).toEqual({ refused: 'unknown' })
    expect(await ask({})).toEqual({ refused: 'none' })
    expect(await ask({ cookie: '__Host-panoptes=good' })).toMatchObject({ caller: { via: 'cookie' } })
  })

  it('limits a token by its own bucket and unknown clients by their address, and counts both', async () => {
    const { ask, state } = hub({ burst: 1, strange: 1 })
    await ask(bearer('good'))
    expect(await ask(bearer('good'))).toMatchObject({ limited: 1, caller: { space: 'main' } })
    expect(await ask(bearer('bad'))).toEqual({ refused: 'unknown' })
    expect(await ask(bearer('worse'))).toMatchObject({ limited: 1 })
    expect(state.limited).toBe(2)
  })

  it('accepts a known token even if others guess from the same address', async () => {
    const { ask } = hub({ strange: 1 })
    await ask(bearer('good'))
    await ask(bearer('bad'))
    expect(await ask(bearer('good'))).toHaveProperty('checkAccess')
  })

  it('never limits probes of a load balancer', async () => {
    const { ask } = hub({ strange: 1 })
    for (const path of ['/health', '/ready', '/health'])
      expect(await ask({}, path)).toEqual({ refused: 'none' })
  })

  it('returns the last known caller during a database outage', async () => {
    const { ask, state } = hub()
    await ask(bearer('good'))
    state.isAway = true
    state.now = 2_000
    expect(await ask(bearer('good'))).toMatchObject({
      failed: { ok: false },
      last: { caller: { role: 'member' } },
    })
    expect(await ask(bearer('other'))).not.toHaveProperty('last')
  })

  it('ends the access of somebody who moved to another space, but not during a database outage', async () => {
    const { ask, state } = hub()
    const found = await ask(bearer('good'))
    if (!('checkAccess' in found)) throw new Error('not let in')
    expect(await found.checkAccess()).toBe(true)
    state.now = 2_000
    state.isAway = true
    expect(await found.checkAccess()).toBe(true)
    state.isAway = false
    state.space = 'other'
    state.now = 4_000
    expect(await found.checkAccess()).toBe(false)
  })

  it('prefers a header to the WebSocket protocol, and that to a cookie', () => {
    const cookie = createCookie('panoptes', 'Lax', null)
    const all = {
      authorization: 'Bearer a',
      'sec-websocket-protocol': 'bearer, b',
      cookie: 'other=1; panoptes=c',
    }
    expect(readCredential(all, cookie)).toEqual({ secret: 'a', via: 'bearer' })
    expect(readCredential({ ...all, authorization: undefined }, cookie)).toEqual({
      secret: 'b',
      via: 'protocol',
    })
    expect(readCredential({ cookie: all.cookie }, cookie)).toEqual({ secret: 'c', via: 'cookie' })
    expect(readCredential({ cookie: 'panoptes=' }, cookie)).toBeUndefined()
  })
})

describe('the cookie of a team', () => {
  it('is bound to the host and sent over TLS only if the public URL is https', () => {
    const secure = createCookie('panoptes', 'Strict', 'https://hub.example')
    expect(secure.set('v', 60)).toBe(
      '__Host-panoptes=v; HttpOnly; SameSite=Strict; Path=/; Max-Age=60; Secure',
    )
    expect(secure.clear()).toBe('__Host-panoptes=; HttpOnly; SameSite=Strict; Path=/; Max-Age=0; Secure')
    expect(secure.read({ cookie: 'panoptes=v' })).toBeUndefined()
    for (const url of [null, 'http://hub.example'])
      expect(createCookie('panoptes', 'Lax', url).set('v', 60)).toBe(
        'panoptes=v; HttpOnly; SameSite=Lax; Path=/; Max-Age=60',
      )
  })
})
