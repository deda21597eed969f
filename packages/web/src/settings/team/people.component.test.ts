import { describe, expect } from 'vitest'
import { expectAccessible, it, page } from '../../testing/page.tsx'
import { FakeTeam, person } from './team.test-kit.ts'

const part = (name: string) => page.getByRole('region', { name })
const button = (name: string) => page.getByRole('button', { name })
const confirm = (name: string) => page.getByRole('dialog').getByRole('button', { name })

describe('The people of a team', () => {
  it('are added by an admin with a role, whatever their name is', async ({ server, open }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/settings#team')
    const form = page.getByRole('form', { name: 'Add somebody' })
    await form.getByLabelText('Address').fill('new@example.org')
    await form.getByLabelText('Name').fill("Robert'); <b>")
    await form.getByLabelText(/^May/).selectOptions('viewer')
    await form.getByRole('button', { name: 'Add' }).click()
    await expect.element(page.getByText('new@example.org is added')).toBeVisible()
    expect(server.requestsTo('POST /api/team/users').map(({ body }) => body)).toEqual([
      { email: 'new@example.org', name: "Robert'); <b>", role: 'viewer' },
    ])
    await expect.element(part('People').getByText("Robert'); <b>")).toBeVisible()
    await expect.element(form.getByLabelText('Address')).toHaveValue('')
  })

  it('get another role, are disabled and enabled, and are removed after a question', async ({
    server,
    open,
  }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/settings#team')
    await page.getByLabelText('What bob@example.org may do').selectOptions('viewer')
    await expect.element(page.getByText('bob@example.org is now viewer')).toBeVisible()
    await button('Disable bob@example.org').click()
    await confirm('Disable').click()
    await expect.element(part('People').getByText('disabled')).toBeVisible()
    await button('Enable bob@example.org').click()
    await expect.element(page.getByText('bob@example.org may sign in again')).toBeVisible()
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
    await expect.element(page.getByText('bob@example.org is removed')).toBeVisible()
    await expect.element(part('People').getByText('bob@example.org')).not.toBeInTheDocument()
  })

  it('keep an admin, and the page says why one cannot be changed', async ({ server, open }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/settings#team')
    await page.getByLabelText('What ada@example.org may do').selectOptions('viewer')
    await expect.element(page.getByText(/last admin of the space/)).toBeVisible()
    await expect.element(page.getByLabelText('What ada@example.org may do')).toHaveValue('admin')
  })

  it('are read again where that failed, and everything else is shown meanwhile', async ({ server, open }) => {
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

  it('are shown to admins alone, and others are told what they are', async ({ server, open }) => {
    new FakeTeam(server, person('eve', 'viewer'))
    await open('/settings#team')
    await expect.element(part('Team').getByText('You are viewer of the space main')).toBeVisible()
    await expect.element(part('Your tokens')).toBeInTheDocument()
    await expect.element(part('People')).not.toBeInTheDocument()
    expect(server.requests.filter(({ path }) => path.startsWith('/api/team'))).toEqual([])
  })

  it('are not there on a computer of one’s own, which has tokens of its own', async ({ server, open }) => {
    new FakeTeam(server, person('ada', 'admin', { team: false }))
    await open('/settings#team')
    await expect.element(part('Tokens')).toBeInTheDocument()
    await expect.element(part('Team')).not.toBeInTheDocument()
    await expect.element(page.getByRole('button', { name: /^Signed in as/ })).not.toBeInTheDocument()
  })

  it('can be read by everybody in both themes, wide and on a phone', async ({ server, open }) => {
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
  it('are listed with the one that is open, and another is made', async ({ server, open }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/settings#team')
    await expect.element(part('Spaces').getByText('you are here')).toBeVisible()
    const form = page.getByRole('form', { name: 'Add a space' })
    await form.getByLabelText('Name').fill(' blue ')
    await form.getByRole('button', { name: 'Add' }).click()
    await expect.element(page.getByText('The space blue is made')).toBeVisible()
    await expect.element(part('Spaces').getByText('blue')).toBeVisible()
    expect(server.requestsTo('POST /api/team/spaces').map(({ body }) => body)).toEqual([{ name: 'blue' }])
  })

  it('are not shown to the admins of one alone', async ({ server, open }) => {
    new FakeTeam(server, person('ada', 'admin', { space: 'blue' }))
    server.fail('GET /api/team/spaces', 403, { detail: 'For admins of the space main.', next: 'Ask one.' })
    await open('/settings#team')
    await expect.element(part('People').getByText('bob@example.org')).toBeVisible()
    await expect.element(part('Spaces')).not.toBeInTheDocument()
  })
})
