import {
  auditReply,
  meReply,
  newTokenReply,
  spacesReply,
  teamToken,
  teamTokensReply,
  teamUser,
  usersReply,
} from '@panoptes/schema'
import { expect, it } from 'vitest'
import { FakeServer } from '../../testing/fake-server.ts'
import { FakeTeam, person } from './team.test-kit.ts'

it('answers the requests of the fake team with bodies that match the hub schemas', async () => {
  const server = new FakeServer()
  new FakeTeam(server, person('ada', 'admin'))
  const ask = async (method: string, path: string, body?: object) => {
    const init = { method, ...(body && { body: JSON.stringify(body) }) }
    return (await server.fetch(`http://127.0.0.1${path}`, init)).json()
  }
  meReply.parse(await ask('GET', '/api/me'))
  usersReply.parse(await ask('GET', '/api/team/users'))
  teamUser.parse(await ask('POST', '/api/team/users', { email: 'new@example.org', name: '', role: 'viewer' }))
  expect(teamUser.parse(await ask('PUT', '/api/team/users/bob', { role: 'admin' })).roles.main).toBe('admin')
  spacesReply.parse(await ask('GET', '/api/team/spaces'))
  const wish = { label: 'x', scope: 'ingest', role: 'member', user_id: null, days: 7 }
  const made = newTokenReply.parse(await ask('POST', '/api/team/tokens', wish))
  expect(made.token).toMatch(/^pan_[\w-]{43}$/)
  teamTokensReply.parse(await ask('GET', '/api/team/tokens'))
  const revoked = teamToken.parse(await ask('POST', `/api/team/tokens/${made.about.id}/revoke`))
  expect(revoked.revoked_at).not.toBeNull()
  auditReply.parse(await ask('GET', '/api/team/audit?limit=30'))
  expect(server.unhandled).toEqual([])
})
