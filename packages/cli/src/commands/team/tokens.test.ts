import type { TeamToken, TeamUser } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { roleFor, rowOf } from './tokens.ts'

const NOW = Date.UTC(2026, 10, 16)
const eve: TeamUser = {
  id: 'u1',
  email: 'eve@example.org',
  name: 'Eve',
  roles: { main: 'viewer' },
  created_at: NOW,
  last_seen: null,
  disabled: false,
}
const token: TeamToken = {
  id: '0123456789ab',
  hint: 'pan_Xy12ab',
  label: 'her page',
  space: 'main',
  scope: 'full',
  role: 'viewer',
  user_id: 'u1',
  created_at: NOW,
  expires_at: null,
  revoked_at: null,
  last_used: null,
  host: null,
  host_seen: null,
}

it('gives a token of a person no more than the person has', () => {
  expect(roleFor('admin', eve, 'main')).toBe('viewer')
  expect(roleFor('viewer', { roles: { main: 'admin' } }, 'main')).toBe('viewer')
  expect(roleFor('admin', undefined, 'main')).toBe('admin')
})

it('lists a token as refused where its person is', () => {
  const state = (person: TeamUser) => rowOf(token, [person], NOW).at(-1)
  expect(state(eve)).toBe('never used')
  expect(state({ ...eve, disabled: true })).toBe('refused: they are disabled')
  expect(state({ ...eve, roles: { other: 'admin' } })).toBe('refused: they are not in the space')
})

it('says which computer last sent with a token', () => {
  expect(rowOf(token, [eve], NOW).at(-2)).toBe('–')
  expect(rowOf({ ...token, host: 'desk\u001b[31m', host_seen: NOW }, [eve], NOW).at(-2)).toMatch(/^desk/)
})
