import { describe, expect } from 'vitest'
import { answerSettings } from '../settings/settings.test-kit.ts'
import { FakeTeam, person } from '../settings/team/team.test-kit.ts'
import { eventually, expectAccessible, it, page } from '../testing/page.tsx'
import { answerEmpty } from '../testing/replies.ts'

const link = () => document.querySelector('header [role=status]')?.textContent
const status = page.getByRole('status')
const EVERY_MS = 2_000

describe('A hub that is without something', () => {
  it('says once that its database is away, makes nothing up, and goes on by itself', async ({
    server,
    open,
    passTime,
  }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/')
    await expect.element(page.getByRole('button', { name: /^Signed in as ada/ })).toBeVisible()
    const away = { code: 'database_away', detail: 'Away.', next: 'Wait.', away: ['database'] }
    server.fail('GET /api/*', 503, away).fail('GET /ready', 503, away)
    await page.getByRole('link', { name: 'Settings' }).first().click()
    const banner = status.getByText(/^The database of this hub has not answered for/)
    await expect.element(banner).toBeVisible()
    await eventually(link).toBe('Database away')
    await expect
      .element(page.getByText('Not known while the database of this hub is away.').first())
      .toBeVisible()
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
    await expect.element(page.getByText('No budget is set')).not.toBeInTheDocument()
    await expectAccessible()
    answerEmpty(server)
    answerSettings(server)
    new FakeTeam(server, person('ada', 'admin'))
    passTime(EVERY_MS)
    await expect.element(banner).not.toBeInTheDocument()
    await expect.element(page.getByText('No budget is set')).toBeInTheDocument()
    await eventually(link).toBe('Connected')
  })

  it('says that its bus is away, and that everything but events goes on', async ({
    server,
    open,
    passTime,
  }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/settings')
    await expect.element(page.getByRole('button', { name: /^Signed in as ada/ })).toBeVisible()
    server.on('GET /ready', { ready: true, takes_events: false, away: ['bus'] })
    passTime(EVERY_MS)
    const banner = page.getByText(/^The bus of this hub has not answered for .* no events are taken/)
    await expect.element(banner).toBeVisible()
    expect(link()).toBe('Connected')
    server.on('GET /ready', { ready: true, takes_events: true, away: [] })
    passTime(EVERY_MS)
    await expect.element(banner).not.toBeInTheDocument()
  })

  it('is not thought to be without its database because a balancer has no hub to ask', async ({
    server,
    open,
    passTime,
  }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/settings')
    await expect.element(page.getByRole('button', { name: /^Signed in as ada/ })).toBeVisible()
    server.fail('GET /ready', 502)
    passTime(EVERY_MS)
    await eventually(() => server.requestsTo('GET /ready').length).toBeGreaterThan(0)
    expect(link()).toBe('Connected')
    await expect.element(page.getByText(/of this hub has not answered/)).not.toBeInTheDocument()
  })
})
