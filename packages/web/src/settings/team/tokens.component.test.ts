import { describe, expect } from 'vitest'
import { eventually, expectAccessible, it, page, userEvent } from '../../testing/page.tsx'
import { FakeTeam, person, teamToken } from './team.test-kit.ts'

const part = (name: string) => page.getByRole('region', { name })
const dialog = page.getByRole('dialog')

/** The options of a select field in the dialog. */
const choices = (label: RegExp) =>
  [...dialog.getByLabelText(label).element().querySelectorAll('option')].map((one) => one.textContent)

describe('The tokens of a team', () => {
  it('are shown once after creation, copied, and revoked after confirmation', async ({
    server,
    open,
    copied,
  }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/settings#team')
    await page.getByRole('button', { name: 'New token' }).click()
    await expect.element(dialog.getByLabelText('Name')).toHaveFocus()
    await expectAccessible()
    await dialog.getByLabelText(/^Expires after/).selectOptions('7')
    await dialog.getByLabelText('Name').fill('build machine 7')
    await userEvent.keyboard('{Enter}')
    const token = `pan_${'t1'.padEnd(43, 'x')}`
    await expect.element(dialog.getByText(token)).toBeVisible()
    expect(server.requestsTo('POST /api/team/tokens').map(({ body }) => body)).toEqual([
      { label: 'build machine 7', scope: 'ingest', role: 'member', user_id: null, days: 7 },
    ])
    await dialog.getByRole('button', { name: 'Copy the token' }).click()
    await eventually(copied).toBe(token)
    await dialog.getByRole('button', { name: 'Done' }).click()
    await expect
      .element(part('Tokens').getByText(/^a machine · sending events · member · expires /))
      .toBeVisible()
    expect(document.documentElement.outerHTML).not.toContain(token)
    await page.getByRole('button', { name: 'Revoke build machine 7' }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await expect.element(page.getByText('Revoked build machine 7')).toBeVisible()
    expect(server.requestsTo('POST /api/team/tokens/t1/revoke')).toHaveLength(1)
    await expect.element(part('Tokens').getByText('1 expired or revoked token')).toBeVisible()
  })

  it('can only send events for another owner, with at most the role of that owner', async ({
    server,
    open,
  }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/settings#team')
    await page.getByRole('button', { name: 'New token' }).click()
    await dialog.getByLabelText('Name').fill('phone of somebody')
    await dialog.getByLabelText(/^Role/).selectOptions('admin')
    await dialog.getByLabelText(/^Owner/).selectOptions('ada@example.org')
    expect(choices(/^For/)).toContain('the page and the command line')
    await dialog.getByLabelText(/^For/).selectOptions('full')
    await dialog.getByLabelText(/^Owner/).selectOptions('bob@example.org')
    expect(choices(/^For/)).toEqual(['sending events'])
    expect(choices(/^Role/)).not.toContain('admin')
    await expect.element(dialog.getByText(/To sign in, they need a token of their own/)).toBeVisible()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    expect(server.requestsTo('POST /api/team/tokens').map(({ body }) => body)).toEqual([
      { label: 'phone of somebody', scope: 'ingest', role: 'member', user_id: 'bob', days: 90 },
    ])
    await expect.element(part('Tokens').getByText(/^bob@example\.org · sending events/)).toBeVisible()
  })

  it('can be created and revoked by their owner, even by a viewer', async ({ server, open }) => {
    const team = new FakeTeam(server, person('eve', 'viewer'))
    team.tokens = [
      teamToken('mine', { label: 'eve’s browser', user_id: 'eve', scope: 'full', role: 'viewer' }),
      teamToken('other', { label: 'not hers' }),
    ]
    await open('/settings#team')
    await expect.element(part('Your tokens').getByText('eve’s browser')).toBeVisible()
    await expect.element(page.getByText('not hers')).not.toBeInTheDocument()
    await page.getByRole('button', { name: 'New token' }).click()
    await dialog.getByLabelText('Name').fill('own script')
    await dialog.getByLabelText(/^For/).selectOptions('full')
    expect(choices(/^Role/)).toEqual(['viewer'])
    await expect.element(dialog.getByLabelText(/^Owner/)).not.toBeInTheDocument()
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('button', { name: 'Done' }).click()
    expect(server.requestsTo('POST /api/me/tokens').map(({ body }) => body)).toEqual([
      { label: 'own script', scope: 'full', role: 'viewer', days: 90 },
    ])
    await page.getByRole('button', { name: 'Revoke own script' }).click()
    await dialog.getByRole('button', { name: 'Revoke' }).click()
    await expect.element(page.getByText('Revoked own script')).toBeVisible()
    expect(server.requestsTo('POST /api/me/tokens/t3/revoke')).toHaveLength(1)
  })

  it('show which computer sends with them', async ({ server, open }) => {
    const team = new FakeTeam(server, person('ada', 'admin'))
    team.tokens = [teamToken('sends', { host: 'laptop', host_seen: Date.now(), last_used: Date.now() })]
    await open('/settings#team')
    const line = part('Tokens').getByText('a machine · sending events · member · sends as laptop')
    await expect.element(line).toBeVisible()
  })

  it('show why the hub refused to create one', async ({ server, open }) => {
    new FakeTeam(server, person('ada', 'admin'))
    server.fail('POST /api/team/tokens', 403, { detail: 'Not for somebody else.', next: 'They make it.' })
    await open('/settings#team')
    await page.getByRole('button', { name: 'New token' }).click()
    await dialog.getByLabelText('Name').fill('x')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await expect.element(dialog.getByRole('alert')).toMatchTextContent(/Not for somebody else.*They make it/)
  })
})
