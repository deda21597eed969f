import { describe, expect } from 'vitest'
import { expectAccessible, it, page } from '../../testing/page.tsx'
import { FakeTeam, person, teamUser } from './team.test-kit.ts'

const part = (name: string) => page.getByRole('region', { name })
const button = (name: string) => page.getByRole('button', { name })
const confirm = (name: string) => page.getByRole('dialog').getByRole('button', { name })

describe('The people of a team', () => {
  it('are added by an admin with a role, even with special characters in the name', async ({
    server,
    open,
  }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/settings#team')
    const form = page.getByRole('form', { name: 'Add a person' })
    await form.getByLabelText('Email').fill('new@example.org')
    await form.getByLabelText('Name').fill("Robert'); <b>")
    await form.getByLabelText(/^Role/).selectOptions('viewer')
    await form.getByRole('button', { name: 'Add' }).click()
    await expect.element(page.getByText('Added new@example.org')).toBeVisible()
    expect(server.requestsTo('POST /api/team/users').map(({ body }) => body)).toEqual([
      { email: 'new@example.org', name: "Robert'); <b>", role: 'viewer' },
    ])
    await expect.element(part('People').getByText("Robert'); <b>")).toBeVisible()
    await expect.element(form.getByLabelText('Email')).toHaveValue('')
  })

  it('get another role, can be disabled and enabled, and are removed after confirmation', async ({
    server,
    open,
  }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/settings#team')
    await page.getByLabelText('Role of bob@example.org').selectOptions('viewer')
    await expect.element(page.getByText('bob@example.org is now viewer')).toBeVisible()
    await button('Disable bob@example.org').click()
    await confirm('Disable').click()
    await expect.element(part('People').getByText('disabled')).toBeVisible()
    await button('Enable bob@example.org').click()
    await expect.element(page.getByText('Enabled bob@example.org')).toBeVisible()
    expect(server.requestsTo('PUT /api/team/users/bob').map(({ body }) => body)).toEqual([
      { role: 'viewer' },
      { disabled: true },
      { disabled: false },
    ])
    await button('Remove bob@example.org').click()
    await confirm('Cancel').click()
    await expect.element(page.getByRole('dialog')).not.toBeInTheDocument()
    expect(server.requestsTo('DELETE /api/team/users/bob')).toHaveLength(0)
    await button('Remove bob@example.org').click()
    await confirm('Remove').click()
    await expect.element(page.getByText('Removed bob@example.org')).toBeVisible()
    await expect.element(part('People').getByText('bob@example.org')).not.toBeInTheDocument()
  })

  it('cannot be disabled by an admin of only one of the spaces', async ({ server, open }) => {
    const me = person('ada', 'admin', { space: 'blue', spaces: [{ name: 'blue', role: 'admin' }] })
    const team = new FakeTeam(server, me)
    team.users = [teamUser('bob', { roles: { blue: 'member' } })]
    await open('/settings#team')
    await expect.element(button('Remove bob@example.org')).toBeVisible()
    await expect.element(button('Disable bob@example.org')).not.toBeInTheDocument()
  })

  it('keep their last admin, and the page says why the role cannot change', async ({ server, open }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/settings#team')
    await page.getByLabelText('Role of ada@example.org').selectOptions('viewer')
    await expect.element(page.getByText(/last admin of the space/)).toBeVisible()
    await expect.element(page.getByLabelText('Role of ada@example.org')).toHaveValue('admin')
  })

  it('are loaded again after a failure while the other parts stay visible', async ({ server, open }) => {
    const team = new FakeTeam(server, person('ada', 'admin'))
    server.fail('GET /api/team/users', 503, { detail: 'The database does not answer.', next: 'Try again.' })
    await open('/settings#team')
    const people = part('People')
    await expect.element(people.getByRole('alert')).toMatchTextContent(/The database does not answer\./)
    await expect.element(part('Spaces').getByText('main')).toBeVisible()
    server.on('GET /api/team/users', () => ({ users: team.users }))
    await people.getByRole('button', { name: 'Try again' }).click()
    await expect.element(people.getByText('bob@example.org')).toBeVisible()
  })

  it('are hidden from a viewer, who sees only the own role and tokens', async ({ server, open }) => {
    new FakeTeam(server, person('eve', 'viewer'))
    await open('/settings#team')
    await expect.element(part('Team').getByText('Your role in the space main is viewer')).toBeVisible()
    await expect.element(part('Your tokens')).toBeInTheDocument()
    await expect.element(part('People')).not.toBeInTheDocument()
    expect(server.requests.filter(({ path }) => path.startsWith('/api/team'))).toEqual([])
  })

  it('do not appear on a personal computer', async ({ server, open }) => {
    new FakeTeam(server, person('ada', 'admin', { team: false }))
    await open('/settings#team')
    await expect.element(part('Tokens')).toBeInTheDocument()
    await expect.element(part('Team')).not.toBeInTheDocument()
    await expect.element(page.getByRole('button', { name: /^Signed in as/ })).not.toBeInTheDocument()
  })

  it('pass axe in both themes, wide and on a phone', async ({ server, open }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/settings#team')
    await expect.element(part('People').getByText('bob@example.org')).toBeVisible()
    await expectAccessible()
    await page.viewport(390, 844)
    await expect.element(part('People').getByText('bob@example.org')).toBeInTheDocument()
    await expectAccessible()
    expect(document.documentElement.scrollWidth).toBeLessThanOrEqual(390)
  })
})

describe('The spaces of a team', () => {
  it('are listed with the current one marked, and an admin can add another', async ({ server, open }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/settings#team')
    await expect.element(part('Spaces').getByText('you are here')).toBeVisible()
    const form = page.getByRole('form', { name: 'Add a space' })
    await form.getByLabelText('Name').fill(' blue ')
    await form.getByRole('button', { name: 'Add' }).click()
    await expect.element(page.getByText('Added the space blue')).toBeVisible()
    await expect.element(part('Spaces').getByText('blue')).toBeVisible()
    expect(server.requestsTo('POST /api/team/spaces').map(({ body }) => body)).toEqual([{ name: 'blue' }])
  })

  it('are hidden from an admin of only one space', async ({ server, open }) => {
    new FakeTeam(server, person('ada', 'admin', { space: 'blue' }))
    server.fail('GET /api/team/spaces', 403, { detail: 'For admins of the space main.', next: 'Ask one.' })
    await open('/settings#team')
    await expect.element(part('People').getByText('bob@example.org')).toBeVisible()
    await expect.element(part('Spaces')).not.toBeInTheDocument()
  })
})
