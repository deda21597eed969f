import { describe, expect } from 'vitest'
import { eventually, expectAccessible, go, it, page } from '../testing/page.tsx'
import { me, status, storage } from '../testing/replies.ts'
import { answerSettings, checks, sources } from './settings.test-kit.ts'

const section = (name: string) => page.getByRole('region', { name, exact: true })
const sectionLink = (name: string | RegExp) =>
  page.getByRole('navigation', { name: 'Sections' }).getByRole('link', { name })
const currentSection = () => document.querySelector('[aria-current=location]')?.textContent

describe('Settings', () => {
  it('show what was found on this computer and how to fix what was not', async ({ server, open }) => {
    answerSettings(server)
    await open('/settings')
    const found = section('Sources')
    await expect.element(found.getByText('/home/dev/.claude')).toBeVisible()
    await expect.element(found.getByText(/^Let this user read/)).toBeVisible()
    await expect.element(found.getByText(/set CODEX_HOME before/)).not.toBeVisible()
    await found.getByText('1 not found').click()
    await expect.element(found.getByText(/set CODEX_HOME before/)).toBeVisible()
    const providers = section('Providers')
    await providers.getByText('1 not set up').click()
    await expect.element(providers.getByText(/set ANTHROPIC_API_KEY before/)).toBeVisible()
    await expectAccessible()
  })

  it('count the problems in total and per section', async ({ server, open }) => {
    answerSettings(server)
    await open('/settings')
    await expect.element(page.getByRole('banner').getByText('2 things to fix, 1 to look at')).toBeVisible()
    await expect.element(sectionLink(/^Sources\s*1 thing to fix/)).toBeVisible()
    await expect.element(sectionLink(/^Health\s*1 thing to fix, 1 to look at/)).toBeVisible()
    await expect.element(sectionLink('Providers')).toBeVisible()
  })

  it('never claim that there is nothing to fix above a warning', async ({ server, open }) => {
    answerSettings(server)
    server.on('GET /api/sources', { sources: sources.filter(({ state }) => state !== 'unreadable') })
    server.on('GET /api/health', {
      checked_at: Date.now(),
      checks: checks.filter(({ state }) => state !== 'failed'),
    })
    await open('/settings#health')
    await expect.element(section('Health').getByText('Warning')).toBeVisible()
    await expect.element(page.getByRole('banner').getByText('1 thing to look at')).toBeVisible()
    await expect.element(sectionLink(/^Health\s*1 thing to look at/)).toBeVisible()
    expect(page.getByText('nothing to fix').elements()).toEqual([])
  })

  it('store each end of the quiet hours', async ({ server, open }) => {
    answerSettings(server)
    await open('/settings')
    const quiet = page.getByRole('group', { name: 'Quiet hours' })
    await expect.element(page.getByLabelText('From', { exact: true })).not.toBeInTheDocument()
    await quiet.getByText('On', { exact: true }).click()
    await page.getByLabelText('From', { exact: true }).fill('20:30')
    await page.getByLabelText('To', { exact: true }).fill('08:15')
    const chosen = { on: false, quiet: true, from: '20:30', to: '08:15' }
    await eventually(() => JSON.parse(localStorage.getItem('panoptes.alerts') ?? '{}')).toEqual(chosen)
    await quiet.getByText('Off', { exact: true }).click()
    await expect.element(page.getByLabelText('From', { exact: true })).not.toBeInTheDocument()
  })

  it('scroll to a section from its link and mark it as current', async ({ server, open }) => {
    answerSettings(server)
    server.on('GET /api/events', { events: [], next: null, first: 1, last: 0 })
    await open('/settings')
    await expect.element(section('About').getByText('Version')).toBeVisible()
    await sectionLink('Storage').click()
    await eventually(currentSection).toBe('Storage')
    await expect.poll(() => location.hash).toBe('#storage')
    await expect.element(section('Storage')).toBeInViewport()
    await sectionLink('Events').click()
    await eventually(() => location.pathname).toBe('/settings/events')
  })

  it('mark the section in view while scrolling', async ({ server, open }) => {
    answerSettings(server)
    await open('/settings')
    await expect.element(section('About').getByText('Version')).toBeVisible()
    await eventually(currentSection).toMatch(/^Sources/)
    const column = section('About').element().parentElement?.parentElement
    column?.scrollTo({ top: column.scrollHeight })
    await eventually(currentSection).toBe('About')
  })

  it('scroll only their own column to the section in the address, also on a phone', async ({
    server,
    open,
  }) => {
    answerSettings(server)
    await open('/settings#health', [390, 844])
    await eventually(currentSection).toMatch(/^Health/)
    await expect.element(section('Health').getByText('2 checks pass')).toBeInViewport()
    expect(page.getByRole('banner').element().getBoundingClientRect().y).toBe(0)
    expect(page.getByRole('heading', { name: 'Health' }).element().getBoundingClientRect().y).toBeLessThan(
      844,
    )
    await expectAccessible()
  })

  it('show a failure only in its own card', async ({ server, open }) => {
    answerSettings(server)
    server.fail('GET /api/sources', 500, { detail: 'The store is locked.', next: 'Stop the other program.' })
    await open('/settings')
    const alert = section('Sources').getByRole('alert')
    await expect.element(alert.getByText(/The store is locked\./)).toBeVisible()
    await expect.element(alert.getByText('Stop the other program.')).toBeVisible()
    await expect.element(section('About').getByText('Version')).toBeVisible()
    server.on('GET /api/sources', { sources })
    await section('Sources').getByRole('button', { name: 'Try again' }).click()
    await expect.element(section('Sources').getByText('1 not found')).toBeVisible()
    await expect.element(alert).not.toBeInTheDocument()
  })

  it('say that installed hooks have not sent anything yet', async ({ server, open }) => {
    answerSettings(server)
    await open('/settings')
    await expect.element(section('Sources').getByText('installed, nothing heard yet')).toBeVisible()
  })

  it('explain how to get agents and providers when none was found', async ({ server, open }) => {
    answerSettings(server)
    server.on('GET /api/sources', { sources: [] })
    await open('/settings')
    await expect.element(section('Sources').getByText('No agents found on this computer.')).toBeVisible()
    await expect.element(section('Providers').getByText('No model provider found.')).toBeVisible()
  })
})

describe('Health in Settings', () => {
  it('folds passing checks and runs all checks again', async ({ server, open, stopClock }) => {
    answerSettings(server)
    server.on('POST /api/health', () => ({
      checked_at: Date.now(),
      checks: checks.filter(({ state }) => state !== 'failed'),
    }))
    await open('/settings#health')
    const health = section('Health')
    await expect.element(health.getByText('Correct it, then run: panoptes config check')).toBeVisible()
    await expect.element(health.getByText('11.6.0')).not.toBeVisible()
    await health.getByText('2 checks pass').click()
    await expect.element(health.getByText('11.6.0')).toBeVisible()
    // The clock stops, because the age of the check would change otherwise.
    stopClock()
    await health.getByRole('button', { name: 'Check again' }).click()
    await expect.element(health.getByText('checked now')).toBeVisible()
    await expect.element(health.getByText('Failed')).not.toBeInTheDocument()
    await expect.element(health.getByText('Warning')).toBeVisible()
  })
})

describe('About in Settings', () => {
  it('shows version, address and process and copies them', async ({ server, open, copied, stopClock }) => {
    answerSettings(server)
    server.on('GET /api/status', status({ version: '1.2.3', pid: 815 }))
    await open('/settings#about')
    const about = section('About')
    await expect.element(about.getByText('http://127.0.0.1:8201')).toBeVisible()
    // The clock stops, because the confirmation disappears after a moment.
    stopClock()
    await about.getByRole('button', { name: 'Copy all' }).click()
    await expect.element(about.getByRole('button', { name: 'Copied' })).toBeVisible()
    for (const line of ['Version: 1.2.3', 'Address: http://127.0.0.1:8201', 'Process: 815'])
      expect(copied()).toContain(line)
  })
})

describe('Settings of a team', () => {
  const tokens = { tokens: [] }

  it('hide from a viewer everything that needs another role', async ({ server, open }) => {
    answerSettings(server)
    server
      .on('GET /api/me', me({ team: true, role: 'viewer', home: false, label: 'laptop' }))
      .on('GET /api/me/tokens', tokens)
      .on('GET /ready', { ready: true, takes_events: true, away: [] })
    await open('/settings')
    await expect.element(section('Team').getByText('Your role in the space main is viewer')).toBeVisible()
    await expect.element(section('Storage').getByText('for admins')).toBeVisible()
    for (const name of ['Back up now', 'Check projections', 'Check again'])
      await expect.element(page.getByRole('button', { name })).not.toBeInTheDocument()
    await expect.element(section('Tokens')).not.toBeInTheDocument()
    await expect.element(sectionLink('Tokens')).not.toBeInTheDocument()
    expect(server.requestsTo('GET /api/tokens')).toEqual([])
  })

  it('show only the age limit of a hub without a size limit', async ({ server, open }) => {
    answerSettings(server)
    const retention = { max_age_days: 90, sessions_max_age_days: null, max_bytes: null }
    server
      .on('GET /api/me', me({ team: true, role: 'member', home: false, label: 'laptop' }))
      .on('GET /api/me/tokens', tokens)
      .on('GET /ready', { ready: true, takes_events: true, away: [] })
      .on('GET /api/status', status({ storage: storage({ engine: 'postgres', retention }) }))
    await open('/settings')
    await expect.element(section('Storage').getByText('90 days', { exact: true })).toBeVisible()
    await expect.element(section('Storage').getByText('a database that all hubs share')).toBeVisible()
    await go('/settings#health')
    await expect.element(section('Health').getByRole('button', { name: 'Check again' })).toBeVisible()
  })
})
