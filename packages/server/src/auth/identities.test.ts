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
      await identities.of('good')
    }
    expect(state.asked).toBe(1)
    state.now = 1_000
    await identities.of('good')
    expect(state.asked).toBe(2)
    await identities.of('other')
    expect(state.asked).toBe(3)
    identities.forget()
    await identities.of('good')
    expect(state.asked).toBe(4)
  })

  it('keeps an identity for ten minutes during a database outage, and asks again right after it', async () => {
    const { state, identities } = team()
    await identities.of('good')
    state.isAway = true
    state.now = 600_000
    expect(await identities.of('good')).toMatchObject({ ok: false })
    expect(identities.last('good')).toEqual(identity())
    expect(identities.wasGood('good')).toBe(true)
    await identities.of('good')
    expect(state.asked).toBe(3)
    state.now = 600_001
    expect(identities.last('good')).toBeUndefined()
    expect(identities.last('other')).toBeUndefined()
  })

  it('drops an identity as soon as the database refuses its secret', async () => {
    const { state, identities } = team()
    await identities.of('good')
    state.isRevoked = true
    state.now = 1_000
    await identities.of('good')
    expect(identities.wasGood('good')).toBe(false)
    expect(identities.last('good')).toBeUndefined()
  })

  it('does not keep an identity whose token has expired meanwhile', async () => {
    const ended = team(identity({ expires_at: Date.now() - 1 }))
    await ended.identities.of('good')
    expect(ended.identities.last('good')).toBeUndefined()
    const lasting = team(identity({ expires_at: Date.now() + 3_600_000 }))
    await lasting.identities.of('good')
    expect(lasting.identities.last('good')).toMatchObject({ token_id: 't1' })
  })
})
