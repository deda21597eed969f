import type { TeamUser } from '@panoptes/schema'
import { describe, expect, it } from 'vitest'
import { possibleOwners, rolesUpTo, scopesFor } from './new-token.tsx'

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

describe('the options of a new token', () => {
  it('offer the person and all members of the space who may sign in and send as owners', () => {
    const users = [
      user('a'),
      user('b', { disabled: true }),
      user('c', { roles: { other: 'admin' } }),
      user('d', { roles: { main: 'viewer' } }),
    ]
    expect(possibleOwners(users, 'main', 'a').map(({ id }) => id)).toEqual(['a'])
    expect(possibleOwners(users, 'main', 'd').map(({ id, role }) => [id, role])).toEqual([
      ['a', 'member'],
      ['d', 'viewer'],
    ])
  })

  it('limit the role to that of the owner', () => {
    expect(rolesUpTo('viewer', 'full')).toEqual(['viewer'])
    expect(rolesUpTo('admin', 'full')).toEqual(['viewer', 'member', 'admin'])
    expect(rolesUpTo('admin', 'ingest')).toEqual(['member', 'admin'])
  })

  it('allow only sending events for another owner, and only reading for a viewer', () => {
    expect(scopesFor('admin', true)).toEqual(['ingest'])
    expect(scopesFor('member', false)).toContain('gateway')
    expect(scopesFor('viewer', false)).toEqual(['full', 'metrics'])
    expect(rolesUpTo('viewer', 'metrics')).toEqual(['viewer'])
  })
})
