import { describe, expect } from 'vitest'
import { FakeTeam, person } from '../settings/team/team.test-kit.ts'
import { eventually, expectAccessible, it, page } from '../testing/page.tsx'

const who = (space = 'main') =>
  page.getByRole('button', { name: `Signed in as ada@example.org, in the space ${space}` })
const item = (name: string | RegExp) => page.getByRole('menuitem', { name })

const ada = person('ada', 'admin', {
  label: 'Ada at her desk',
  spaces: [
    { name: 'main', role: 'admin' },
    { name: 'blue', role: 'member' },
  ],
})

describe('The account menu', () => {
  it('shows the person and switches the space, which reloads the page', async ({ server, open, loads }) => {
    new FakeTeam(server, ada)
    server.on('POST /api/me/space', { ...ada, space: 'blue', role: 'member' })
    await open('/settings')
    await who().click()
    await expect.element(item(/^main.*here$/)).toHaveAttribute('aria-disabled', 'true')
    await expectAccessible()
    await item(/^blue/).click()
    await eventually(() => loads.splice(0)).toEqual(['/'])
    expect(server.requestsTo('POST /api/me/space').map(({ body }) => body)).toEqual([{ space: 'blue' }])
  })

  it('links an admin to people and tokens', async ({ server, open }) => {
    new FakeTeam(server, ada)
    await open('/')
    await who().click()
    await item('People and tokens').click()
    await eventually(() => location.pathname + location.hash).toBe('/settings#team')
  })

  it('shows a viewer no link to people and tokens', async ({ server, open }) => {
    new FakeTeam(server, person('eve', 'viewer'))
    await open('/')
    await page.getByRole('button', { name: /^Signed in as eve@example\.org/ }).click()
    await expect.element(item('Sign out')).toBeVisible()
    await expect.element(item('People and tokens')).not.toBeInTheDocument()
  })

  it('signs out, and shows the reason when that fails', async ({ server, open, loads }) => {
    new FakeTeam(server, ada)
    server.fail('POST /auth/sign-out', 503, { detail: 'The database does not answer.', next: 'Try again.' })
    await open('/')
    await who().click()
    await item('Sign out').click()
    await expect.element(page.getByText('The database does not answer.')).toBeVisible()
    expect(loads).toEqual([])
    server.on('POST /auth/sign-out', {})
    await who().click()
    await item('Sign out').click()
    await eventually(() => loads.splice(0)).toEqual(['/'])
  })

  it('shows the label of a machine token', async ({ server, open }) => {
    new FakeTeam(server, person('x', 'member', { user: null, label: 'build machine' }))
    await open('/')
    const name = 'Signed in as build machine, in the space main'
    await expect.element(page.getByRole('button', { name })).toBeVisible()
  })
})

describe('A page of one space', () => {
  it('names its space in every request and reloads after another tab switched the space', async ({
    server,
    open,
    loads,
  }) => {
    new FakeTeam(server, ada)
    await open('/')
    await expect.element(who()).toBeVisible()
    server.on('GET /api/me', { ...ada, space: 'blue', role: 'member' })
    // The hub closes the connections of a browser that switched to another space.
    server.stream.drop()
    await eventually(() => [...new Set(loads)]).toEqual(['/'])
    await eventually(() => server.stream.attempts.at(-1)?.searchParams.get('panoptes-space')).toBe('main')
    const later = server.requests.filter(({ path }) => /^\/api\/(?!me$)/.test(path)).at(-1)
    expect(later?.headers.get('panoptes-space')).toBe('main')
    // The page reloads as long as the server names another space.
    server.on('GET /api/me', ada)
    loads.length = 0
  })
})
