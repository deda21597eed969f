import type { TeamUser } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { ownersOf, rolesUpTo, scopesFor } from './whose.ts'

const user = (id: string, change: Partial<TeamUser> = {}): TeamUser => ({
  id,
  email: `${id}@example.test`,
  name: '',
  disabled: false,
  created_at: 0,
  last_seen: null,
  roles: { main: 'member' },
  ...change,
})

describe('whose a new token is', () => {
  it('is for anybody in the space who may sign in', () => {
    const users = [user('a'), user('b', { disabled: true }), user('c', { roles: { other: 'admin' } })]
    expect(ownersOf(users, 'main')).toEqual([{ id: 'a', email: 'a@example.test', role: 'member' }])
  })

  it('bounds what it may act as', () => {
    expect(rolesUpTo('viewer')).toEqual(['viewer'])
    expect(rolesUpTo('admin')).toEqual(['viewer', 'member', 'admin'])
  })

  it('is for events alone where it is somebody else’s', () => {
    expect(scopesFor(true)).toEqual(['ingest'])
    expect(scopesFor(false)).toContain('full')
  })
})
