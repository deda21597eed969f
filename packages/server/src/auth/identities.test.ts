import { failure, type Identity, success } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { createIdentities } from './identities.ts'

const identity = (more: Partial<Identity> = {}) =>
  ({
    token_id: 't1',
    user_id: null,
    scope: 'full',
    role: 'member',
    space: 'main',
    expires_at: null,
    ...more,
  }) as Identity

/** A team that knows one secret and can be unreachable. */
function team(known: Identity = identity()) {
  const state = { asked: 0, isAway: false, isRevoked: false, now: 0 }
  const identities = createIdentities(
    {
      identify: async (secret: string) => {
        state.asked += 1
        if (state.isAway) return failure('io', 'The database is away.')
        if (state.isRevoked || secret !== 'good') return success({ refused: 'unknown' as const })
        return success({ identity: known })
      },
    },
    () => state.now,
  )
  return { state, identities }
}

describe('createIdentities', () => {
  it('asks the database about a secret at most once a second', async () => {
    const { state, identities } = team()
    for (const at of [0, 500, 999]) {
      state.now = at
      await identities.identify('good')
    }
    expect(state.asked).toBe(1)
    state.now = 1_000
    await identities.identify('good')
    expect(state.asked).toBe(2)
    await identities.identify('other')
    expect(state.asked).toBe(3)
    identities.forget()
    await identities.identify('good')
    expect(state.asked).toBe(4)
  })

  it('keeps an identity for ten minutes during a database outage, and asks again right after it', async () => {
    const { state, identities } = team()
    await identities.identify('good')
    state.isAway = true
    state.now = 600_000
    expect(await identities.identify('good')).toMatchObject({ ok: false })
    expect(identities.findRecent('good')).toEqual(identity())
    expect(identities.wasValid('good')).toBe(true)
    await identities.identify('good')
    expect(state.asked).toBe(3)
    state.now = 600_001
    expect(identities.findRecent('good')).toBeUndefined()
    expect(identities.findRecent('other')).toBeUndefined()
  })

  it('drops an identity as soon as the database refuses its secret', async () => {
    const { state, identities } = team()
    await identities.identify('good')
    state.isRevoked = true
    state.now = 1_000
    await identities.identify('good')
    expect(identities.wasValid('good')).toBe(false)
    expect(identities.findRecent('good')).toBeUndefined()
  })

  it('does not keep an identity whose token has expired meanwhile', async () => {
    const ended = team(identity({ expires_at: Date.now() - 1 }))
    await ended.identities.identify('good')
    expect(ended.identities.findRecent('good')).toBeUndefined()
    const lasting = team(identity({ expires_at: Date.now() + 3_600_000 }))
    await lasting.identities.identify('good')
    expect(lasting.identities.findRecent('good')).toMatchObject({ token_id: 't1' })
  })
})
