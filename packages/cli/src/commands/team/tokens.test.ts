import type { TeamToken, TeamUser } from '@panoptes/schema'
import { expect, it } from 'vitest'
import { roleFor, tokenRow } from './tokens.ts'

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

it('limits the role of a token to the role of its person', () => {
  expect(roleFor('admin', eve, 'main')).toBe('viewer')
  expect(roleFor('viewer', { roles: { main: 'admin' } }, 'main')).toBe('viewer')
  expect(roleFor('admin', undefined, 'main')).toBe('admin')
})

it('lists a token as refused if its person is disabled or not in the space', () => {
  const state = (person: TeamUser) => tokenRow(token, [person], NOW).at(-1)
  expect(state(eve)).toBe('never used')
  expect(state({ ...eve, disabled: true })).toBe('refused: the person is disabled')
  expect(state({ ...eve, roles: { other: 'admin' } })).toBe('refused: the person is not in the space')
})

it('shows which computer last used a token', () => {
  expect(tokenRow(token, [eve], NOW).at(-2)).toBe('–')
  expect(tokenRow({ ...token, host: 'desk\u001b[31m', host_seen: NOW }, [eve], NOW).at(-2)).toMatch(/^desk/)
})
