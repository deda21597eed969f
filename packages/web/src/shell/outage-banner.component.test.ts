import { describe, expect } from 'vitest'
import { awaySince } from '../api/request.ts'
import { answerSettings } from '../settings/settings.test-kit.ts'
import { FakeTeam, person } from '../settings/team/team.test-kit.ts'
import { eventually, expectAccessible, it, page } from '../testing/page.tsx'
import { answerEmpty } from '../testing/replies.ts'

const link = () => document.querySelector('header [role=status]')?.textContent
const status = page.getByRole('status')
const EVERY_MS = 2_000

describe('A hub with an outage', () => {
  it('reports a missing database once, shows no false data and recovers by itself', async ({
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
    const banner = status.getByText(/^This hub’s database has not responded for/)
    await expect.element(banner).toBeVisible()
    await eventually(link).toBe('Database down')
    await expect
      .element(page.getByText('Unavailable while the database of this hub is down.').first())
      .toBeVisible()
    await expect.element(page.getByRole('alert')).not.toBeInTheDocument()
    await expect.element(page.getByText('No budgets yet')).not.toBeInTheDocument()
    await expectAccessible()
    // A load balancer that answers for the hub says nothing about the database.
    const since = awaySince.get()
    let reads = 0
    server.on('GET /ready', () => {
      const answer = Response.json({}, { status: 502 })
      const json = async () => {
        reads += 1
        return {}
      }
      return Object.assign(answer, { clone: () => Object.assign(Response.json({}, answer), { json }) })
    })
    passTime(EVERY_MS)
    await eventually(() => reads).toBe(1)
    await expect.element(banner).toBeVisible()
    expect(awaySince.get()).toBe(since)
    answerEmpty(server)
    answerSettings(server)
    new FakeTeam(server, person('ada', 'admin'))
    const read = server.requestsTo('GET /api/sources').length
    passTime(EVERY_MS)
    await expect.element(banner).not.toBeInTheDocument()
    await expect.element(page.getByText('No budgets yet')).toBeInTheDocument()
    await eventually(link).toBe('Connected')
    await eventually(() => server.requestsTo('GET /api/sources').length).toBeGreaterThan(read)
  })

  it('says that the message bus is down and that the hub accepts no events', async ({
    server,
    open,
    passTime,
  }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/settings')
    await expect.element(page.getByRole('button', { name: /^Signed in as ada/ })).toBeVisible()
    server.on('GET /ready', { ready: true, takes_events: false, away: ['bus'] })
    passTime(EVERY_MS)
    const banner = page.getByText(
      /^This hub’s message bus has not responded for .* the hub accepts no events/,
    )
    await expect.element(banner).toBeVisible()
    expect(link()).toBe('Connected')
    server.on('GET /ready', { ready: true, takes_events: true, away: [] })
    passTime(EVERY_MS)
    await expect.element(banner).not.toBeInTheDocument()
  })

  it('is not reported as down when only a load balancer answers', async ({ server, open, passTime }) => {
    new FakeTeam(server, person('ada', 'admin'))
    await open('/settings')
    await expect.element(page.getByRole('button', { name: /^Signed in as ada/ })).toBeVisible()
    server.fail('GET /ready', 502)
    passTime(EVERY_MS)
    await eventually(() => server.requestsTo('GET /ready').length).toBeGreaterThan(0)
    expect(link()).toBe('Connected')
    await expect.element(page.getByText(/^This hub’s .* has not responded/)).not.toBeInTheDocument()
  })
})
