import { expect, it } from 'vitest'
import { part, type TeamPage } from './kit.ts'

export function describeAway(kit: TeamPage): void {
  it('says what could not be read, and reads it again', async () => {
    const page = await kit.open('ada')
    let away = true
    await page.route('**/api/team/users', (route) =>
      away
        ? route.fulfill({
            status: 503,
            json: { detail: 'The database does not answer.', next: 'Try again.' },
          })
        : route.continue(),
    )
    await page.goto(`${kit.hub.address}/settings#team`)
    const people = part(page, 'People')
    await people.getByRole('alert').getByText('The database does not answer.').waitFor()
    away = false
    await people.getByRole('button', { name: 'Try again' }).click()
    await people.getByText('bob@example.org').waitFor()
    await kit.close(503)
  })

  it('says once that the database is away, makes nothing up, and goes on by itself', async () => {
    const page = await kit.open('ada')
    const status = page.getByRole('status')
    await status.getByText('Connected').waitFor()
    let away = true
    await page.route(
      (url) => url.pathname.startsWith('/api/') || url.pathname === '/ready',
      (route) =>
        away
          ? route.fulfill({
              status: 503,
              json: { code: 'database_away', detail: 'Away.', next: 'Wait.', away: ['database'] },
            })
          : route.continue(),
    )
    await page.getByRole('link', { name: 'Settings' }).first().click()
    const banner = status.getByText(/The database of this hub has not answered for/)
    await banner.waitFor()
    await status.getByText('Database away').waitFor()
    await page.getByText('Not known while the database of this hub is away.').first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    expect(await page.getByText('No budget is set').count()).toBe(0)
    away = false
    await banner.waitFor({ state: 'detached' })
    await page.getByText('No budget is set').waitFor()
    await status.getByText('Connected').waitFor()
    await kit.close(503)
  })

  it('says that the bus is away, and that everything but events goes on', async () => {
    const page = await kit.open('ada', '/settings')
    await page.route('**/ready', (route) =>
      route.fulfill({ json: { ready: true, takes_events: false, away: ['bus'] } }),
    )
    await page.getByText(/The bus of this hub has not answered for .* no events are taken/).waitFor()
    await page.getByRole('status').getByText('Connected').waitFor()
    await page.unroute('**/ready')
    await page.getByText(/The bus of this hub/).waitFor({ state: 'detached' })
  })
}
