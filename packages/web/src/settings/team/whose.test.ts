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
  it('is for anybody in the space who may sign in and send, and for oneself', () => {
    const users = [
      user('a'),
      user('b', { disabled: true }),
      user('c', { roles: { other: 'admin' } }),
      user('d', { roles: { main: 'viewer' } }),
    ]
    expect(ownersOf(users, 'main', 'a').map(({ id }) => id)).toEqual(['a'])
    expect(ownersOf(users, 'main', 'd').map(({ id, role }) => [id, role])).toEqual([
      ['a', 'member'],
      ['d', 'viewer'],
    ])
  })

  it('bounds what it may act as', () => {
    expect(rolesUpTo('viewer', 'full')).toEqual(['viewer'])
    expect(rolesUpTo('admin', 'full')).toEqual(['viewer', 'member', 'admin'])
    expect(rolesUpTo('admin', 'ingest')).toEqual(['member', 'admin'])
  })

  it('is for events alone where it is somebody else’s, and to look where they only read', () => {
    expect(scopesFor('admin', true)).toEqual(['ingest'])
    expect(scopesFor('member', false)).toContain('gateway')
    expect(scopesFor('viewer', false)).toEqual(['full', 'metrics'])
    expect(rolesUpTo('viewer', 'metrics')).toEqual(['viewer'])
  })
})
